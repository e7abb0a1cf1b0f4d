package coordinator

import (
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore"
)

// outputsPath is the part of a result's public address between the farm's base address and the result's name.
const outputsPath = "/outputs/"

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
