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

func TestAddressesOfUploadsAreEscaped(t *testing.T) {
	for _, c := range []struct{ base, prefix, want string }{
		{"", "a/", ""}, {"https://cdn.example.com", "a b/", "https://cdn.example.com/a%20b/J.mp4"}, {"https://cdn.example.com/x/", "/y", "https://cdn.example.com/x/yJ.mp4"},
		{"https://cdn.example.com", "../", ""}, {"https://cdn.example.com", "?a#b/", "https://cdn.example.com/%3Fa%23b/J.mp4"},
	} {
		if got := (farm.Upload{OutputURL: c.base, Prefix: c.prefix}).Address("J.mp4"); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.base, c.prefix, got, c.want)
		}
	}
}

func TestReferencesToSecretsStandAsTheyAre(t *testing.T) {
	u := farm.Upload{Params: map[string]string{"endpoint": "https://${secrets.HOST}", "bucket": "${secrets.BUCKET}"}}
	want := farm.RemoteObject{Endpoint: "https://${secrets.HOST}", Bucket: "${secrets.BUCKET}"}
	if got, err := u.Place(); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}
