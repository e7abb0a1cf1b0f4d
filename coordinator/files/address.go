package files

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Address is the bucket that a farm keeps its files in, parsed from a setting such as
// s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1&pathStyle=true.
type Address struct {
	Bucket    string
	Prefix    string // of all keys; "", or ends in a slash
	Endpoint  string // host, or host:port
	Insecure  bool   // plain HTTP
	Region    string // "" to ask the storage for it
	PathStyle *bool  // whether requests name the bucket in the path rather than the host; nil to detect it
}

// defaultEndpoint is used where an address names no endpoint.
const defaultEndpoint = "s3.amazonaws.com"

// IsAddress reports whether text is the address of a bucket rather than a folder.
func IsAddress(text string) bool { return strings.HasPrefix(text, "s3://") }

// ParseAddress parses the address of a bucket. Its errors never quote a part that may be a password.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return Address{}, errors.New("want s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1")
	}
	if u.User != nil {
		return Address{}, errors.New("credentials are not allowed in it: put them into a file or the environment")
	}
	a := Address{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Endpoint: defaultEndpoint}
	if a.Prefix != "" {
		if err := Check(a.Prefix); err != nil {
			return Address{}, fmt.Errorf("invalid prefix, want letters, digits, '.', '_', '-' and slashes: %w", err)
		}
		a.Prefix += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" {
		return Address{}, errors.New("malformed options after the question mark")
	}
	for name, values := range query {
		if !slices.Contains([]string{"endpoint", "region", "pathStyle"}, name) || len(values) != 1 {
			return Address{}, fmt.Errorf("unknown or repeated option %q, want endpoint, region and pathStyle, each at most once; put credentials into a file or the environment", shorten(name))
		}
	}
	a.Region = query.Get("region")
	if text := query.Get("pathStyle"); text != "" {
		path, err := strconv.ParseBool(text)
		if err != nil {
			return Address{}, errors.New("invalid pathStyle, want true or false")
		}
		a.PathStyle = &path
	}
	if text := query.Get("endpoint"); text != "" {
		if a.Endpoint, a.Insecure, err = parseEndpoint(text); err != nil {
			return Address{}, err
		}
	}
	return a, nil
}

func parseEndpoint(text string) (host string, insecure bool, err error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", false, errors.New("invalid endpoint, want for example https://s3.example.com or http://10.0.0.5:9000")
	}
	return u.Host, u.Scheme == "http", nil
}

// String names the bucket for people.
func (a Address) String() string {
	where := "bucket '" + a.Bucket + "'"
	if a.Prefix != "" {
		where += " below '" + a.Prefix + "'"
	}
	return where + " at " + a.Endpoint
}
