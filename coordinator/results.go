package coordinator

import (
	"context"
	"slices"
	"strings"

	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/raftstore"
)

// resultsFarm is what results know of this coordinator.
type resultsFarm struct{ *Coordinator }

var _ results.Farm = resultsFarm{}

func (c resultsFarm) Spread(ctx context.Context, e farm.Event) { c.spread(ctx, e) }

func (c resultsFarm) RevealUpload(job farm.Job) (farm.Upload, *redact.Redactor, error) {
	return c.secrets.RevealUpload(job)
}

func (c resultsFarm) Aside(do func(context.Context)) { c.storage.Aside(do) }

// outputsPath is the part of a result's public address between the farm's base address and the result's name.
const outputsPath = "/outputs/"

// OutputAddress is the public address of a job's result, known from its creation on.
func (c *Coordinator) OutputAddress(j farm.Job) string { return outputAddress(c.PublicAddress(), j) }

// outputAddress is OutputAddress for callers who know the farm by a base address.
func outputAddress(base string, j farm.Job) string {
	if j.Address != "" {
		return j.Address
	}
	return base + outputsPath + j.OutputName
}

// resultsNamed lets an agent have results of the team by itself that a lease names by the addresses under which callers know them: of
// the farm's addresses it may reach none, or be asked there for a token that it does not have. srcs that name one become those of
// the lease, and the results' files go into files.
func (c *Coordinator) resultsNamed(tx *raftstore.Tx, team string, files map[string]farm.FileRef, srcs ...*string) error {
	srcs = slices.DeleteFunc(srcs, func(src *string) bool { return !strings.Contains(*src, outputsPath) })
	if len(srcs) == 0 {
		return nil
	}
	bases, err := c.cluster.BaseAddresses(tx)
	if err != nil {
		return err
	}
	for _, src := range srcs {
		base, name, _ := strings.Cut(*src, outputsPath)
		if !slices.Contains(bases, base) {
			continue
		}
		job, err := tx.JobByOutput(name)
		switch {
		case farm.CodeOf(err) == farm.CodeNotFound:
			continue
		case err != nil:
			return err
		case job.Team == team && job.Output != nil && job.Output.Remote == nil && job.Output.GoneAt.IsZero():
			*src = nameResult(files, job)
		}
	}
	return nil
}

// nameResult puts a job's result among the files of a lease and gives the address by which the lease names it.
func nameResult(files map[string]farm.FileRef, job farm.Job) string {
	ref := job.Output.FileRef
	ref.Name = job.OutputName
	src := farm.ResultScheme + job.ID
	files[src] = ref
	return src
}
