// Package reader reads the files of templates. They come from untrusted sources, and a small one can demand a lot: so it happens in a
// child process with limits, which can be killed without harm.
package reader

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Job is a file to read.
type Job struct {
	Path    string `json:"path"` // of the file
	Type    string `json:"type"` // aep, zip or mogrt
	Scratch string `json:"scratch"`
	// MinFree is how many bytes must stay free on the disk of Scratch, an empty folder for temporary files.
	MinFree int64 `json:"minFree"`
	Memory  int64 `json:"memory"` // limit of the process, in bytes
}

// Bounds are the limits of reading one file.
type Bounds struct {
	Memory int64 // bytes
	Within time.Duration
}

// maxAnswer is the largest result, in bytes of JSON: it is stored, and returned to callers whole.
const maxAnswer = 16 << 20

// Result is what was read from a file.
type Result struct {
	Summary json.RawMessage // an aep.Summary
	Picture []byte          // PNG of a motion graphics template; nil for none
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

// answer is what the child process writes.
type answer struct {
	Summary json.RawMessage `json:"summary,omitempty"`
	Picture []byte          `json:"picture,omitempty"`
	Refusal string          `json:"refusal,omitempty"` // the file is invalid, in words for its author
	Room    *Room           `json:"room,omitempty"`
	Trouble string          `json:"trouble,omitempty"` // any other error
}
