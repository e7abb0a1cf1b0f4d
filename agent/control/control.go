// Package control lets people at a machine see what its agent does, and pause it, through a Unix socket that only programs on this machine
// can reach.
package control

import (
	"time"

	"overcrank/agent/presence"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// Status is the state of an agent.
type Status struct {
	Name        string `json:"name"` // of the machine on the farm
	Coordinator string `json:"coordinator"`
	Linked      bool   `json:"linked"`            // connected to the farm
	Trouble     string `json:"trouble,omitempty"` // why it is not connected, "" when that is not known
	// UpdatesOnly says that the farm speaks another version of the protocol, and gives the machine no work until one of them is updated. Linked is
	// false then.
	UpdatesOnly bool              `json:"updatesOnly,omitempty"`
	Standing    wire.Standing     `json:"standing,omitzero"` // whether the farm gives it work, as the farm last said
	Presence    farm.Availability `json:"presence"`
	Pause       presence.Pause    `json:"pause"` // the zero value when it is not paused
	Working     []Work            `json:"working"`

	// NeverOnBattery is what somebody at the machine chose; the settings may say the same.
	NeverOnBattery bool `json:"neverOnBattery,omitempty"`
}

// Work is a task that the agent works on.
type Work struct {
	Job      string    `json:"job"`
	Name     string    `json:"name,omitempty"` // of the job
	Task     string    `json:"task"`
	Phase    string    `json:"phase,omitempty"`
	Progress float64   `json:"progress"` // 0..100
	Since    time.Time `json:"since"`
	Picture  bool      `json:"picture,omitempty"` // there is a small picture of its latest frame
}

// Battery is what somebody at the machine chooses for its battery.
type Battery struct {
	Never bool `json:"never"` // the machine does not work for the farm on its battery
}

// Agent is the agent that the socket controls.
type Agent interface {
	Status() Status
	// Pause pauses the machine's work for the farm, or resumes it. The pause outlasts a restart of the agent.
	Pause(presence.Pause) error
	// NeverOnBattery keeps the machine from working for the farm on its battery, or leaves that to its settings. It outlasts a restart of the agent.
	NeverOnBattery(bool) error
	// Picture is a small JPEG of the latest frame of a task that the agent works on, nil when there is none.
	Picture(task string) []byte
}

// The paths of the requests.
const (
	pathStatus  = "/status"  // GET, answers Status
	pathPause   = "/pause"   // PUT presence.Pause, answers Status
	pathBattery = "/battery" // PUT Battery, answers Status
	pathPicture = "/picture" // GET with ?task=, answers a JPEG, or 404
)
