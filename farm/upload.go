package farm

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxKey is the longest key of an object, in bytes.
const maxKey = 1024

// Key is under which key a result called name, which is "<job id>.<ext>", is uploaded: the prefix as the caller wrote it, and
// the name. Slashes at its beginning are left out, since an address cannot hold them.
func (u Upload) Key(name string) (string, error) {
	key := strings.TrimLeft(u.Prefix, "/") + name
	switch {
	case len(key) > maxKey:
		return "", fmt.Errorf("the key of an object cannot be longer than %d bytes", maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == '\ufffd' }):
		return "", errors.New("the key of an object cannot hold a backslash or characters that are not seen")
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "." || part == ".." {
			return "", fmt.Errorf("the key of an object cannot hold the part %q, which servers take for a way", part)
		}
	}
	return key, nil
}

// Endpoints of those who need none to be named.
const (
	endpointAWS    = "s3.amazonaws.com"
	endpointGoogle = "storage.googleapis.com"
)

// Place is where the upload goes, without the key. An endpoint is a host, with a port if need be; http:// before it asks for
// plain HTTP.
func (u Upload) Place() (RemoteObject, error) {
	place := RemoteObject{Region: u.Params["region"], Bucket: u.Params["bucket"]}
	if place.Bucket == "" || strings.ContainsAny(place.Bucket, "/\\?#%@ ") {
		return place, fmt.Errorf("%.100q is no name of a bucket", place.Bucket)
	}
	endpoint := strings.TrimSpace(u.Params["endpoint"])
	switch {
	case endpoint == "" && u.Provider == "gcs":
		endpoint = endpointGoogle
	case endpoint == "":
		endpoint = endpointAWS
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	at, err := url.Parse(endpoint)
	switch {
	case err != nil || at.Hostname() == "" || at.RawQuery != "" || at.Fragment != "":
		return place, errors.New("the endpoint has to be a host, such as s3.example.com, 10.0.0.5:9000 or http://storage:9000")
	case at.User != nil:
		return place, errors.New("the endpoint cannot hold a name or a password; they go into accessKeyId and accessKeySecret")
	case at.Scheme != "https" && at.Scheme != "http":
		return place, fmt.Errorf("the endpoint begins with %q; it can be reached by https and http only", at.Scheme+"://")
	case strings.Trim(at.Path, "/") != "" && strings.Trim(at.Path, "/") != place.Bucket:
		return place, errors.New("the endpoint cannot have a path; what comes before the name of the result is the prefix")
	}
	place.Endpoint, place.Insecure = strings.ToLower(at.Host), at.Scheme == "http"
	return place, nil
}
