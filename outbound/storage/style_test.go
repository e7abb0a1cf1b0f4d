package storage_test

import (
	"testing"

	"github.com/minio/minio-go/v7"

	"overcrank/farm"
	"overcrank/outbound/storage"
)

func TestTheBucketIsNamedWhereTheStorageWantsIt(t *testing.T) {
	for _, c := range []struct {
		endpoint, bucket string
		insecure         bool
		first, second    minio.BucketLookupType
	}{
		{"s3.amazonaws.com", "renders", false, minio.BucketLookupDNS, minio.BucketLookupPath},
		{"s3.amazonaws.com", "my.renders", false, minio.BucketLookupPath, minio.BucketLookupAuto},
		{"storage.googleapis.com", "renders", false, minio.BucketLookupDNS, minio.BucketLookupPath},
		{"s3.example.com:9000", "renders", true, minio.BucketLookupPath, minio.BucketLookupDNS},
		{"s3.example.com:9000", "my.renders", true, minio.BucketLookupPath, minio.BucketLookupDNS},
		{"10.0.0.1:9000", "renders", true, minio.BucketLookupPath, minio.BucketLookupAuto},
		{"[::1]:9000", "renders", true, minio.BucketLookupPath, minio.BucketLookupAuto},
		{"s3.example.com", "Renders_1", false, minio.BucketLookupPath, minio.BucketLookupAuto},
	} {
		first, second := storage.Styles(farm.RemoteObject{Endpoint: c.endpoint, Bucket: c.bucket, Insecure: c.insecure})
		if first != c.first || second != c.second {
			t.Errorf("%s %s: %v, then %v", c.endpoint, c.bucket, first, second)
		}
	}
}
