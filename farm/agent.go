package farm

import "time"

// Agent is a workstation that has enrolled.
type Agent struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"` // host name, or what its owner called it
	SecretHash string    `json:"secretHash"`
	EnrolledAt time.Time `json:"enrolledAt"`
	Inventory  Inventory `json:"inventory"`

	// What the farm's people want of the machine, whatever it says itself.
	Drained bool     `json:"drained,omitempty"` // finishes what it has and gets nothing more
	Paused  bool     `json:"paused,omitempty"`  // gives back what it has and gets nothing
	Tags    []string `json:"tags,omitempty"`    // beside those of its inventory
	// SetAside is why the farm gives the machine no work for a while; nil when it does.
	SetAside *SetAside `json:"setAside,omitempty"`
}

// SetAside is a machine's time without work after it failed too often.
type SetAside struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Until  time.Time `json:"until,omitzero"` // zero: until somebody lets it work again
}

// Presence is whether a machine may work now, by its own rules: those of the artist whose desk it stands on.
type Presence string

// The presences of a machine.
const (
	PresenceFree     Presence = "free"     // also when empty
	PresenceYielding Presence = "yielding" // its artist is back: what it has is on its way back
	PresenceAway     Presence = "away"     // takes nothing
)

// Availability is a machine's presence with its reason.
type Availability struct {
	Presence Presence  `json:"presence,omitempty"`
	Reason   string    `json:"reason,omitempty"` // such as "somebody works at it"
	Until    time.Time `json:"until,omitzero"`   // when that may change; zero when nobody knows
}

// Inventory is what a workstation has. Its hash travels by gossip, the whole over the agent's own connection.
type Inventory struct {
	OS        string `json:"os"`                  // as Go names it: linux, darwin, windows
	OSVersion string `json:"osVersion,omitempty"` // such as Windows 11 23H2
	GPU       string `json:"gpu,omitempty"`
	GPUMemory int64  `json:"gpuMemory,omitempty"` // bytes
	Disk      int64  `json:"disk,omitempty"`      // bytes of the disk that the data folder is on
	DiskFree  int64  `json:"diskFree,omitempty"`  // bytes, in steps that do not change the inventory all the time
	// Effects are the match names of effects that were added to After Effects; its own come with each build.
	Effects []string     `json:"effects,omitempty"`
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
	Availability
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
