// Package reader reads the files of templates. They come from anybody, and a small one can ask for much: so it is done in a process of its own,
// which has bounds and can be ended without harm.
package reader

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Job says what to read.
type Job struct {
	Path    string `json:"path"` // of the file
	Type    string `json:"type"` // aep, zip or mogrt
	Scratch string `json:"scratch"`
	// MinFree is how many bytes are left free on the disk of Scratch, an empty folder that may be filled.
	MinFree int64 `json:"minFree"`
	Memory  int64 `json:"memory"` // bytes that the process may take
}

// Bounds of one file.
type Bounds struct {
	Memory int64 // bytes
	Within time.Duration
}

// maxAnswer bounds what a file may come to, in bytes of JSON: it is kept, and given to callers whole.
const maxAnswer = 16 << 20

// Result is what a file told.
type Result struct {
	Summary json.RawMessage // an aep.Summary
	Picture []byte          // PNG that a motion graphics template brings, nil for none
}

// Room is the error of an archive for which there is no room now.
type Room struct {
	Need int64 `json:"need"` // bytes that are still to be written
	Free int64 `json:"free"` // bytes that may be
	Size int64 `json:"size"` // of the disk, without what is left free
}

// Error implements error.
func (r *Room) Error() string {
	return fmt.Sprintf("it unpacks to %d bytes, and the disk has room for %d beside what must stay free", r.Need, r.Free)
}

// ErrMemory and ErrTime mark files that pass a bound, ErrLarge one that tells more than is kept, ErrCrash one at which the reader ended.
var (
	ErrMemory = errors.New("reading it takes more memory than one template may have")
	ErrTime   = errors.New("reading it takes longer than one template may take")
	ErrLarge  = errors.New("it describes more than can be kept")
	ErrCrash  = errors.New("the reader ended with an error of its own")
)

// answer is what the process says.
type answer struct {
	Summary json.RawMessage `json:"summary,omitempty"`
	Picture []byte          `json:"picture,omitempty"`
	Refusal string          `json:"refusal,omitempty"` // the file is at fault, in words for who made it
	Room    *Room           `json:"room,omitempty"`
	Trouble string          `json:"trouble,omitempty"` // anything else
}
