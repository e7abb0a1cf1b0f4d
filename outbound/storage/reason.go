// Package storage knows how S3-compatible storages want to be spoken to, and what their refusals mean.
package storage

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/minio/minio-go/v7"

	"overcrank/outbound"
)

// reasons are in our words what storages say by a code.
var reasons = map[string]string{
	"AccessDenied":                  "access denied",
	"AllAccessDisabled":             "access denied",
	"InvalidAccessKeyId":            "the access key is not known there",
	"XAdminUserNotFound":            "the access key is not known there", // as versitygw says it
	"SignatureDoesNotMatch":         "the access key's secret is wrong, or the region is",
	"NoSuchBucket":                  "the bucket does not exist",
	"InvalidBucketName":             "the bucket's name is not allowed there",
	"EntityTooLarge":                "the object is larger than is allowed there",
	"QuotaExceeded":                 "there is no room left",
	"AccessControlListNotSupported": "the bucket takes no acl; leave it out",
	"AuthorizationHeaderMalformed":  "the region is wrong",
	"RequestTimeTooSkewed":          "this machine's clock is wrong",
}

var plainCode = regexp.MustCompile(`^[A-Za-z]{1,60}$`)

// Reason words in short why a storage did not do what it was asked. What it says at length is left out: it repeats parts of the
// request. passing tells whether the same request may succeed later.
func Reason(err error) (reason string, passing bool) {
	var said minio.ErrorResponse
	switch {
	case !errors.As(err, &said):
		return outbound.Reason(err)
	case said.StatusCode != 0:
		return spoken(said), isPassing(said)
	default: // the client's own refusal of what it was told to send
		reason = "the storage cannot be asked that way"
		if plainCode.MatchString(said.Code) {
			reason += " (" + said.Code + ")"
		}
		return reason, false
	}
}

func spoken(said minio.ErrorResponse) string {
	if known := reasons[said.Code]; known != "" {
		return fmt.Sprintf("%s (%d)", known, said.StatusCode)
	}
	if plainCode.MatchString(said.Code) {
		return fmt.Sprintf("%s (%d)", said.Code, said.StatusCode)
	}
	return fmt.Sprint(said.StatusCode)
}

// isPassing tells whether the same request may succeed later.
func isPassing(said minio.ErrorResponse) bool {
	switch s := said.StatusCode; {
	case s == http.StatusNotImplemented, s == http.StatusInsufficientStorage:
		return false
	case said.Code == "NoSuchUpload": // the storage has forgotten a part of what it was sent
		return true
	default:
		return s >= http.StatusInternalServerError || s == http.StatusRequestTimeout || s == http.StatusTooManyRequests
	}
}
