// Package submission takes jobs: it checks what a caller sends against the farm, settles what the caller left open, and brings each job
// with its family and its tasks into the state with one command. Batches that are too large for one command are staged in parts, and
// appear with the last.
package submission

import (
	"time"

	"overcrank/coordinator/files"
	"overcrank/coordinator/library"
	"overcrank/coordinator/state"
	"overcrank/coordinator/templates"
	"overcrank/farm"
	"overcrank/farm/address"
)

// Farm is what submitting needs of the rest of this coordinator.
type Farm interface {
	// PublicAddress is the farm's base address.
	PublicAddress() string
	// SharedBy is the policy by which the farm shares its machines.
	SharedBy() (farm.Policy, error)
	// FileAllowed says whether some machine of the farm may read the file at a path.
	FileAllowed(path string) (bool, error)
	// TellMissing leaves only those fonts in a job, and in those nested in it, that are missing on every machine.
	TellMissing(job *farm.Job) error
}

// Config says what is taken.
type Config struct {
	Addresses address.Policy // which machines downloads, uploads and webhooks may ask
	FileLife  time.Duration  // of stored files after their last use
}

// Parts are the other rooms that submitting stands on.
type Parts struct {
	Farm      Farm
	State     *state.State
	Files     files.Store // takes what private jobs keep to themselves
	Stored    *library.StoredFiles
	Templates *templates.Catalog
	Secrets   *library.Secrets
	Fonts     *library.Fonts
}

// Submitter takes jobs. Its methods may be called at the same time.
type Submitter struct {
	cfg       Config
	farm      Farm
	state     *state.State
	files     files.Store
	stored    *library.StoredFiles
	templates *templates.Catalog
	secrets   *library.Secrets
	fonts     *library.Fonts
}

// New takes jobs for a farm.
func New(cfg Config, parts Parts) *Submitter {
	return &Submitter{
		cfg: cfg, farm: parts.Farm, state: parts.State, files: parts.Files, stored: parts.Stored, templates: parts.Templates, secrets: parts.Secrets, fonts: parts.Fonts,
	}
}
