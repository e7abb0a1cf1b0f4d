package farm

import (
	"net/url"
	"strings"
)

// maxKey is the longest key of an object, in bytes.
const maxKey = 1024

// Key is the object key of a result called name, which is "<job id>.<ext>": the prefix as the caller wrote it, and the
// name. Leading slashes are left out, since an address cannot hold them.
func (u Upload) Key(name string) (string, error) {
	key := strings.TrimLeft(u.Prefix, "/") + name
	switch {
	case len(key) > maxKey:
		return "", Errorf(CodeInvalid, "the key of an object cannot be longer than %d bytes", maxKey)
	case strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == '\ufffd' }):
		return "", Errorf(CodeInvalid, "the key of an object cannot hold a backslash or invisible characters")
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "." || part == ".." {
			return "", Errorf(CodeInvalid, "the key of an object cannot hold the part %q, which servers resolve as a path", part)
		}
	}
	return key, nil
}

// The endpoints of providers for which the caller need not name one.
const (
	endpointAWS    = "s3.amazonaws.com"
	endpointGoogle = "storage.googleapis.com"
)

// Address is the public address of a result called name under the upload's own output URL, "" when the upload has none.
func (u Upload) Address(name string) string {
	if u.OutputURL == "" {
		return ""
	}
	key, err := u.Key(name)
	if err != nil {
		return ""
	}
	parts := strings.Split(key, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.TrimSuffix(u.OutputURL, "/") + "/" + strings.Join(parts, "/")
}

// Place is the storage that the upload goes to, without the key. An endpoint is a host, with a port if need be; a
// leading http:// selects plain HTTP. Values that refer to secrets are not checked. Errors name the fields below upload.
func (u Upload) Place() (RemoteObject, error) {
	place := RemoteObject{Region: u.Params["region"], Bucket: u.Params["bucket"]}
	if !refersToSecrets(place.Bucket) && (place.Bucket == "" || strings.ContainsAny(place.Bucket, "/\\?#%@ ")) {
		return place, wrongParam("bucket", "%.100q is not the name of a bucket", place.Bucket)
	}
	endpoint := strings.TrimSpace(u.Params["endpoint"])
	switch {
	case refersToSecrets(endpoint):
		place.Endpoint = endpoint
		return place, nil
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
		return place, wrongParam("endpoint", "has to be a host, such as s3.example.com, 10.0.0.5:9000 or http://storage:9000")
	case at.User != nil:
		return place, wrongParam("endpoint", "cannot hold a name or a password; they go into accessKeyId and accessKeySecret")
	case at.Scheme != "https" && at.Scheme != "http":
		return place, wrongParam("endpoint", "begins with %q; it has to be https:// or http://", at.Scheme+"://")
	case strings.Trim(at.Path, "/") != "" && strings.Trim(at.Path, "/") != place.Bucket:
		return place, wrongParam("endpoint", "cannot have a path; the prefix is where folders go")
	}
	place.Endpoint, place.Insecure = strings.ToLower(at.Host), at.Scheme == "http"
	return place, nil
}

// Object is the place of a result called name, which is "<job id>.<ext>".
func (u Upload) Object(name string) (RemoteObject, error) {
	to, err := u.Place()
	if err != nil {
		return to, err
	}
	if to.Key, err = u.Key(name); err != nil {
		return to, Invalid("Upload failed", Field("prefix", "%v", err))
	}
	return to, nil
}

func refersToSecrets(s string) bool { return strings.Contains(s, secretOpens) }

func wrongParam(name, format string, args ...any) error {
	return Invalid("Upload failed", Field("params."+name, format, args...))
}
