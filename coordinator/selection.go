package coordinator

import (
	"context"
	"errors"

	"overcrank/coordinator/search"
	"overcrank/farm"
)

// SelectJobs lists what a filter selects of the caller's jobs, in its order; cursor is the Next of the page before.
func (c *Coordinator) SelectJobs(_ context.Context, p farm.Principal, f search.Filter, cursor string, limit int) (search.Jobs, error) {
	found, err := c.search.Select(p, f, cursor, limit)
	for i := range found.Jobs {
		err = errors.Join(err, c.AddProgress(&found.Jobs[i]), c.OnlyMissing(&found.Jobs[i]))
	}
	return found, err
}
