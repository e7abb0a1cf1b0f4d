// Package control is how people at a machine speak with its agent: through a socket that only programs of this machine reach. It
// lets them see what the agent does and ask it for a pause, and nothing else.
package control

import (
	"time"

	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// Status is what an agent tells about itself.
type Status struct {
	Name        string            `json:"name"` // of the machine on the farm
	Coordinator string            `json:"coordinator"`
	Linked      bool              `json:"linked"`            // the farm hears of it
	Trouble     string            `json:"trouble,omitempty"` // why the farm does not, as far as known
	Standing    wire.Standing     `json:"standing,omitzero"` // whether the farm gives it work, as it said last
	Presence    farm.Availability `json:"presence"`
	Pause       presence.Pause    `json:"pause"` // zero when it is not paused
	Working     []Work            `json:"working"`
}

// Work is a task that the agent works on.
type Work struct {
	Job      string    `json:"job"`
	Name     string    `json:"name,omitempty"` // of the job
	Task     string    `json:"task"`
	Phase    string    `json:"phase,omitempty"`
	Progress float64   `json:"progress"` // 0..100
	Since    time.Time `json:"since"`
}

// Agent is what the socket speaks for.
type Agent interface {
	Status() Status
	// Pause keeps the machine from working until then, or lets it work again. It lasts over the agent's end.
	Pause(presence.Pause) error
}

// The paths of the requests.
const (
	pathStatus = "/status" // GET, answers Status
	pathPause  = "/pause"  // PUT presence.Pause, answers Status
)
