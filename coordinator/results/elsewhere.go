package results

import (
	"context"
	"errors"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"overcrank/farm"
	"overcrank/farm/redact"
)

// presignedLife is how long an address lasts that leads to a result in storage which is not the farm's.
const presignedLife = time.Hour

// Elsewhere gives the address at which a request of this method gets a result that was uploaded elsewhere: the
// upload's own public address, or one that is signed with the job's credentials and lasts for an hour. It is "" for a
// result that the farm keeps, and for one that there is not.
func (r *Results) Elsewhere(ctx context.Context, outputName, method string) (string, error) {
	job, err := r.jobOf(outputName)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return "", nil
	}
	if err != nil || job.Output == nil || job.Output.Remote == nil || job.Upload == nil {
		return "", err
	}
	if job.Address != "" {
		return job.Address, nil
	}
	return r.presign(ctx, job, method)
}

func (r *Results) presign(ctx context.Context, job farm.Job, method string) (string, error) {
	upload, secrets, err := r.farm.RevealUpload(job)
	if err != nil {
		return "", elsewhereError(job, secrets, err)
	}
	to, err := upload.Object(job.RemoteName())
	if err != nil {
		return "", elsewhereError(job, secrets, err)
	}
	style := minio.BucketLookupAuto
	if job.Output.Remote.InHost {
		style = minio.BucketLookupDNS
	}
	client, err := minio.New(to.Endpoint, &minio.Options{
		Creds:  credentials.NewStaticV4(upload.Params["accessKeyId"], upload.Params["accessKeySecret"], ""),
		Secure: !to.Insecure, Region: to.Region, BucketLookup: style, Transport: r.transport,
	})
	if err != nil {
		return "", elsewhereError(job, secrets, err)
	}
	// The region is known, so nothing is asked: the address is made here.
	signed, err := client.Presign(ctx, method, to.Bucket, to.Key, presignedLife, nil)
	if err != nil {
		return "", elsewhereError(job, secrets, err)
	}
	return signed.String(), nil
}

// elsewhereError is for a caller who may not be the job's: it does not repeat what the upload says.
func elsewhereError(job farm.Job, secrets *redact.Redactor, err error) error {
	gone := farm.Errorf(farm.CodeGone, "the result of job %s was uploaded elsewhere, and this farm can no longer lead there: ask its storage", job.ID)
	gone.Err = errors.New(secrets.String(err.Error()))
	return gone
}
