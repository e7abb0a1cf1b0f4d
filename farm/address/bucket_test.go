package address_test

import (
	"testing"

	"overcrank/farm/address"
)

func TestObjectsHaveAWebAddress(t *testing.T) {
	for src, want := range map[string]string{
		"s3://films/spots/a b.zip": "https://films.s3.amazonaws.com/spots/a%20b.zip",
		"S3://my.films/x.aep":      "https://s3.amazonaws.com/my.films/x.aep",
		"s3://films":               "", "s3://films/": "", "s3:///key": "", "s3://id:secret@films/key": "",
	} {
		if got, err := address.Bucket(src); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is at %q, %v", src, got, err)
		}
	}
}
