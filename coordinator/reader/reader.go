// Package reader reads the files of templates, and has them looked at for what the embedded engine would draw differently from After Effects.
// They come from untrusted sources, and a small one can demand a lot: so it happens in a child process with limits, which can be killed
// without harm.
package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"overcrank/aep"
)

// Job is a file to read.
type Job struct {
	Path    string `json:"path"` // of the file
	Type    string `json:"type"` // aep, zip or mogrt
	Scratch string `json:"scratch"`
	// MinFree is how many bytes must stay free on the disk of Scratch, an empty folder for temporary files.
	MinFree int64 `json:"minFree"`
	Memory  int64 `json:"memory"` // limit of the process, in bytes
	// Beside is the folder in which the footage of a project file is searched for; "" for a project that came without its folder.
	Beside string `json:"beside,omitempty"`
	// Fonts tells whether the fonts of this machine are there when it is rendered; otherwise each font is a finding.
	Fonts bool          `json:"fonts,omitempty"`
	Look  time.Duration `json:"look"` // how long a Look may take
	// Each is how many findings, and how many features, are told of one composition; All how many findings of all together, Needs how many features.
	Each  int `json:"each"`
	All   int `json:"all"`
	Needs int `json:"needs"`
}

// Look finds what the embedded engine would draw differently from After Effects, and ends soon after ctx. It may change the project.
type Look func(ctx context.Context, p *aep.Project, job Job) (*aep.Preflight, error)

// Bounds are the limits of reading one file.
type Bounds struct {
	Memory int64 // bytes
	Within time.Duration
	Look   time.Duration // of Within, for a Look; 0 means 20 seconds: a template waits for it
}

const (
	// maxAnswer is the largest summary, in bytes of JSON: it is stored, and returned to callers whole.
	maxAnswer = 16 << 20
	// maxPreflight is the same for the preflight; the bounds of a Job keep it far below.
	maxPreflight = 16 << 20
)

// Result is what was read from a file.
type Result struct {
	Summary json.RawMessage // an aep.Summary
	Picture []byte          // PNG of a motion graphics template; nil for none
	// Preflight is nil when nobody looked. Trouble is why it could not be finished; nil when it was.
	Preflight *aep.Preflight
	Trouble   error
}

// Room is the error of an archive for whose content the disk has no room now.
type Room struct {
	Need int64 `json:"need"` // bytes that would still be written
	Free int64 `json:"free"` // bytes that may be written
	Size int64 `json:"size"` // of the disk, less what must stay free
}

// Error implements error.
func (r *Room) Error() string {
	return fmt.Sprintf("unpacking needs %d bytes, and the disk has room for %d besides what must stay free", r.Need, r.Free)
}

// ErrMemory and ErrTime mark files that exceed a limit, ErrLarge one whose result is too large, ErrCrash one that crashed the reader.
var (
	ErrMemory = errors.New("reading it takes more memory than allowed for one template")
	ErrTime   = errors.New("reading it takes longer than allowed for one template")
	ErrLarge  = errors.New("its description is too large to store")
	ErrCrash  = errors.New("the reader crashed")
)

// answer is what the child process writes first; the preflight follows on a line of its own, so that a look which exceeds a limit does not
// cost what was read.
type answer struct {
	Summary json.RawMessage `json:"summary,omitempty"`
	Picture []byte          `json:"picture,omitempty"`
	Refusal string          `json:"refusal,omitempty"` // the file is invalid, in words for its author
	Room    *Room           `json:"room,omitempty"`
	Trouble string          `json:"trouble,omitempty"` // any other error
}
