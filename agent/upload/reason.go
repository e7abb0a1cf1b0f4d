package upload

import (
	"context"
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

// explain words what an upload ended with. What a storage says at length is left out: it repeats parts of the request.
func (u *Uploader) explain(ctx context.Context, o Object, err error) error {
	failed := &Error{Bucket: o.To.Bucket, Key: o.To.Key, Err: err}
	var said minio.ErrorResponse
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		failed.Reason, failed.Retry = "timed out", true
	case !errors.As(err, &said):
		failed.Reason, failed.Retry = outbound.Reason(err)
	case said.StatusCode != 0:
		failed.Reason, failed.Retry = spoken(said), passing(said)
	default: // the client's own refusal of what it was told to send
		failed.Reason = "the storage cannot be asked that way"
		if plainCode.MatchString(said.Code) {
			failed.Reason += " (" + said.Code + ")"
		}
	}
	return failed
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

// passing tells whether the same request may succeed later.
func passing(said minio.ErrorResponse) bool {
	switch s := said.StatusCode; {
	case s == http.StatusNotImplemented, s == http.StatusInsufficientStorage:
		return false
	case said.Code == "NoSuchUpload": // the storage has forgotten a part of what it was sent
		return true
	default:
		return s >= http.StatusInternalServerError || s == http.StatusRequestTimeout || s == http.StatusTooManyRequests
	}
}
