package coordinator

import (
	"context"
	"io"

	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// submissions is what submitting knows of this coordinator.
type submissions struct{ *Coordinator }

var _ submission.Farm = submissions{}

// SharedBy is the farm's policy.
func (f submissions) SharedBy() (farm.Policy, error) { return f.policy() }

// KeepFile keeps a file of a caller.
func (f submissions) KeepFile(ctx context.Context, p farm.Principal, name string, body io.Reader, size int64, job string) (farm.StoredFile, error) {
	return f.putFile(ctx, p, name, body, size, job)
}
