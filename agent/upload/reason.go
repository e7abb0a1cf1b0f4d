package upload

import (
	"context"
	"errors"

	"overcrank/outbound/storage"
)

// explain words what an upload ended with.
func (u *Uploader) explain(ctx context.Context, o Object, err error) error {
	failed := &Error{Bucket: o.To.Bucket, Key: o.To.Key, Err: err}
	if errors.Is(context.Cause(ctx), errStalled) {
		failed.Reason, failed.Retry = "timed out", true
	} else {
		failed.Reason, failed.Retry = storage.Reason(err)
	}
	return failed
}
