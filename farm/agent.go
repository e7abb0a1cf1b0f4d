package farm

import "time"

// Agent is a workstation that has enrolled.
type Agent struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"` // host name, or what its owner called it
	SecretHash string    `json:"secretHash"`
	EnrolledAt time.Time `json:"enrolledAt"`
	Inventory  Inventory `json:"inventory"`
}

// Inventory is what a workstation has. Its hash travels by gossip, the whole over the agent's own connection.
type Inventory struct {
	OS      string       `json:"os"`   // as Go names it: linux, darwin, windows
	Arch    string       `json:"arch"` // as Go names it
	CPUs    int          `json:"cpus"`
	Memory  int64        `json:"memory"`  // bytes
	Version string       `json:"version"` // of overcrank
	Engines []EngineInfo `json:"engines"`
	Fonts   []FontUse    `json:"fonts,omitempty"`
	Codecs  []string     `json:"codecs,omitempty"` // values of Settings.Codec that this machine can write
	Tags    []string     `json:"tags,omitempty"`
	Slots   int          `json:"slots"` // tasks it runs at once
}

// The kinds of engines.
const (
	EngineEmbedded     = "embedded" // the farm's own
	EngineAfterEffects = "aftereffects"
)

// EngineInfo is one aerender-compatible program on a workstation.
type EngineInfo struct {
	Kind    string `json:"kind"`    // EngineEmbedded or EngineAfterEffects
	Version string `json:"version"` // such as 26.0.2
	Path    string `json:"path"`
}

// Machine is an agent as the farm sees it now.
type Machine struct {
	Agent
	Online   bool      // its websocket is open
	Gossip   bool      // gossip has it alive
	LastSeen time.Time // of its last message
	Address  string
	Running  []RunningTask
}

// RunningTask is a lease that a machine holds now. Another team's has no ids and no numbers.
type RunningTask struct {
	Task     string
	Job      string
	Attempt  int
	Progress float64 // 0..100
	Frame    int     // last frame done
	Phase    string  // such as "downloading", "rendering", "uploading"
	Since    time.Time
}
