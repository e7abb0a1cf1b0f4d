package storage

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"overcrank/farm"
)

// Styles are the two ways to name a bucket, the likelier one first; the second is BucketLookupAuto when it cannot be. The
// large clouds want it in the host; most others, and all that are known by a number only, in the path.
func Styles(to farm.RemoteObject) (first, second minio.BucketLookupType) {
	scheme := "https"
	if to.Insecure {
		scheme = "http"
	}
	if !inHost(to) {
		return minio.BucketLookupPath, minio.BucketLookupAuto
	}
	if s3utils.IsVirtualHostSupported(url.URL{Scheme: scheme, Host: to.Endpoint}, to.Bucket) {
		return minio.BucketLookupDNS, minio.BucketLookupPath
	}
	return minio.BucketLookupPath, minio.BucketLookupDNS
}

// inHost tells whether the bucket can be part of a host's name. Under a certificate for all names of one level it can hold
// no dot.
func inHost(to farm.RemoteObject) bool {
	host := to.Endpoint
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return false
	}
	return s3utils.CheckValidBucketNameStrict(to.Bucket) == nil && (to.Insecure || !strings.Contains(to.Bucket, "."))
}

// otherStyle are the words by which storages refuse the way in which a bucket was named.
var otherStyle = []string{"PermanentRedirect", "SecondLevelDomainForbidden", "PathStyleDomainForbidden", "InvalidPathAccess", "VirtualHostDomainRequired", "MethodNotAllowed"}

// RefusesStyle tells whether a request failed since the bucket was named in a way that this storage does not serve.
func RefusesStyle(err error) bool {
	var said minio.ErrorResponse
	if errors.As(err, &said) {
		return slices.Contains(otherStyle, said.Code) || said.StatusCode == http.StatusMethodNotAllowed || said.StatusCode == http.StatusNotImplemented
	}
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
