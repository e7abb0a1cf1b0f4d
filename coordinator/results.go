package coordinator

import (
	"context"

	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/redact"
)

// resultsFarm is what results know of this coordinator.
type resultsFarm struct{ *Coordinator }

var _ results.Farm = resultsFarm{}

func (c resultsFarm) RevealUpload(job farm.Job) (farm.Upload, *redact.Redactor, error) {
	return c.secrets.RevealUpload(job)
}

func (c resultsFarm) Aside(do func(context.Context)) { c.storage.Aside(do) }

// OutputAddress is the public address of a job's result, known from its creation on.
func (c *Coordinator) OutputAddress(j farm.Job) string { return results.Address(c.PublicAddress(), j) }
