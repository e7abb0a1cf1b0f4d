package farm_test

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestKeysStayBelowTheirPrefix(t *testing.T) {
	for prefix, want := range map[string]string{
		"": "J.mp4", "renders/": "renders/J.mp4", "renders": "rendersJ.mp4", "/a//b/": "a//b/J.mp4", "ünï/ x/": "ünï/ x/J.mp4", "a..b/": "a..b/J.mp4",
	} {
		if got, err := (farm.Upload{Prefix: prefix}).Key("J.mp4"); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", prefix, got, err, want)
		}
	}
	for _, prefix := range []string{"../", "a/../b/", "./", "a/./", `a\b`, "a\n", "a\x00", strings.Repeat("x", 1024), "a\xff\ufffd"} {
		if got, err := (farm.Upload{Prefix: prefix}).Key("J.mp4"); err == nil {
			t.Errorf("%q became %q", prefix, got)
		}
	}
}

func TestEndpointsAreReadAsPeopleWriteThem(t *testing.T) {
	place := func(provider, endpoint string) (farm.RemoteObject, error) {
		return farm.Upload{Provider: provider, Params: map[string]string{"endpoint": endpoint, "bucket": "b", "region": "r"}}.Place()
	}
	for given, want := range map[[2]string]farm.RemoteObject{
		{"s3", ""}:                         {Endpoint: "s3.amazonaws.com"},
		{"gcs", ""}:                        {Endpoint: "storage.googleapis.com"},
		{"s3", "S3.Example.com"}:           {Endpoint: "s3.example.com"},
		{"s3", "https://s3.example.com/"}:  {Endpoint: "s3.example.com"},
		{"s3", "10.0.0.5:9000"}:            {Endpoint: "10.0.0.5:9000"},
		{"s3", "http://storage:9000"}:      {Endpoint: "storage:9000", Insecure: true},
		{"s3", " https://x.example.com/b"}: {Endpoint: "x.example.com"},
		{"s3", "http://[::1]:9000"}:        {Endpoint: "[::1]:9000", Insecure: true},
	} {
		want.Bucket, want.Region = "b", "r"
		if got, err := place(given[0], given[1]); err != nil || got != want {
			t.Errorf("%v: %+v, %v, want %+v", given, got, err, want)
		}
	}
	for _, bad := range []string{"ftp://x", "https://", "https://u:p@x", "x/deep/er", "x?y", "https://x#y", "http://[::1"} {
		if got, err := place("s3", bad); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%q: %+v, %v", bad, got, err)
		}
	}
	if _, err := (farm.Upload{Params: map[string]string{"bucket": "a/b"}}).Place(); err == nil {
		t.Error("a bucket with a slash was taken")
	}
}
