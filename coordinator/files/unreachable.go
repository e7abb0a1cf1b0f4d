package files

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/minio/minio-go/v7"

	"overcrank/farm"
	"overcrank/outbound/storage"
)

// ErrUnreachable marks that the storage could not be asked, or refuses to work. It says nothing about the file.
var ErrUnreachable = errors.New("the farm's storage cannot be used")

// unreachable is a farm.CodeUnavailable that names the storage and the reason, but no credentials.
func unreachable(where, reason string, cause error) error {
	gone := farm.Errorf(farm.CodeUnavailable, "the farm's storage, %s, cannot be used: %s", where, farm.AsIs(reason))
	gone.Err = fmt.Errorf("%w: %w", ErrUnreachable, cause)
	return gone
}

// explain turns the client's error about a key into the store's; nil for nil.
func (s *S3) explain(key string, err error) error {
	var said minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case s.ctx != nil && s.ctx.Err() != nil:
		return fmt.Errorf("%s: the file store was closed: %w", key, context.Canceled)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", key, err)
	case errors.As(err, &said) && said.Code == minio.NoSuchKey:
		return fmt.Errorf("%s: %w", key, ErrNotFound)
	case errors.As(err, &said) && said.StatusCode == http.StatusPreconditionFailed:
		return fmt.Errorf("%s: it was replaced while it was read", key)
	}
	if said.StatusCode == http.StatusInsufficientStorage || said.Code == "QuotaExceeded" {
		return fmt.Errorf("%w: %s has no room left", ErrFull, s.Where())
	}
	reason, _ := storage.Reason(err)
	return unreachable(s.Where(), reason, err)
}
