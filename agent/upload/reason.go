package upload

import (
	"context"
	"errors"

	"overcrank/outbound"
	"overcrank/outbound/storage"
)

// explain words what an upload ended with.
func (u *Uploader) explain(ctx context.Context, o Object, err error) error {
	failed := &Error{Bucket: o.To.Bucket, Key: o.To.Key, Err: err}
	if hung := context.Cause(ctx); errors.Is(hung, outbound.ErrStalled) || errors.Is(hung, outbound.ErrTooSlow) {
		failed.Reason, failed.Retry = outbound.Reason(hung)
	} else {
		failed.Reason, failed.Retry = storage.Reason(err)
	}
	return failed
}
