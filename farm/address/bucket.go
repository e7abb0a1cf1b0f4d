package address

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
)

var bucketName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]+$`)

// Bucket converts s3://bucket/key to the object's https address. The address carries no credentials.
func Bucket(src string) (string, error) {
	_, rest, _ := strings.Cut(src, ":")
	bucket, key, ok := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
	if !ok || key == "" || !bucketName.MatchString(bucket) {
		return "", errors.New("an s3: address is s3://bucket/key")
	}
	u := url.URL{Scheme: "https", Host: bucket + ".s3.amazonaws.com", Path: "/" + key}
	if strings.ContainsAny(bucket, "._") { // the certificate covers no such host
		u.Host, u.Path = "s3.amazonaws.com", "/"+bucket+u.Path
	}
	return u.String(), nil
}
