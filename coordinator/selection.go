package coordinator

import (
	"context"
	"errors"

	"overcrank/coordinator/search"
	"overcrank/farm"
)

// SelectJobs lists what a filter selects of the caller's jobs, in its order; cursor is the Next of the page before.
func (c *Coordinator) SelectJobs(ctx context.Context, p farm.Principal, f search.Filter, cursor string, limit int) (search.Jobs, error) {
	found, err := c.search.Select(ctx, p, f, cursor, limit)
	return c.withProgress(found, err)
}

// NewerJobs lists those of a filter that were submitted just after the job with an id, the newest first.
func (c *Coordinator) NewerJobs(_ context.Context, p farm.Principal, f search.Filter, id string, limit int) (search.Jobs, error) {
	found, err := c.search.Newer(p, f, id, limit)
	return c.withProgress(found, err)
}

// withProgress adds to jobs that were found what only the leader knows of them.
func (c *Coordinator) withProgress(found search.Jobs, err error) (search.Jobs, error) {
	for i := range found.Jobs {
		err = errors.Join(err, c.AddProgress(&found.Jobs[i]), c.OnlyMissing(&found.Jobs[i]))
	}
	return found, err
}
