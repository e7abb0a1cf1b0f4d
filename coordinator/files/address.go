package files

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Address says which bucket a farm keeps its files in, as it stands in a setting:
// s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1&pathStyle=true.
type Address struct {
	Bucket    string
	Prefix    string // of all keys; "" or with a slash at its end
	Endpoint  string // host, or host:port
	Insecure  bool   // plain HTTP
	Region    string // "" to ask the storage
	PathStyle *bool  // whether the bucket stands in the path rather than in the host's name; nil to find out
}

// usualEndpoint is whom an address means that names no endpoint.
const usualEndpoint = "s3.amazonaws.com"

// IsAddress tells an address of a bucket from a folder.
func IsAddress(text string) bool { return strings.HasPrefix(text, "s3://") }

// ParseAddress reads an address. Its errors repeat nothing that may be a password.
func ParseAddress(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return Address{}, errors.New("it has to look like s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-west-1")
	}
	if u.User != nil {
		return Address{}, errors.New("it must hold no credentials: put them into a file, or the environment")
	}
	a := Address{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/"), Endpoint: usualEndpoint}
	if a.Prefix != "" {
		if err := Check(a.Prefix); err != nil {
			return Address{}, fmt.Errorf("its prefix may hold letters, digits, '.', '_', '-' and slashes: %w", err)
		}
		a.Prefix += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Fragment != "" {
		return Address{}, errors.New("what follows its question mark cannot be read")
	}
	for name, values := range query {
		if !slices.Contains([]string{"endpoint", "region", "pathStyle"}, name) || len(values) != 1 {
			return Address{}, fmt.Errorf("it may name endpoint, region and pathStyle, each once, and not %q; credentials belong into a file, or the environment", shorten(name))
		}
	}
	a.Region = query.Get("region")
	if text := query.Get("pathStyle"); text != "" {
		path, err := strconv.ParseBool(text)
		if err != nil {
			return Address{}, errors.New("its pathStyle has to be true or false")
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
		return "", false, errors.New("its endpoint has to look like https://s3.example.com, or http://10.0.0.5:9000")
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
