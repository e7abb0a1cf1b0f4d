package coordinator

import "context"

// Tidy does the housekeeping that otherwise waits for its time.
func (c *Coordinator) Tidy(ctx context.Context) error { return c.tidy(ctx) }
