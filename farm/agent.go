package farm

import "time"

// Agent is a workstation that has enrolled.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name"` // host name, or what its owner or the farm's people called it
	// SecretHash is of the bearer secret of a machine that enrolled before there were certificates; "" once it has shown one.
	SecretHash string    `json:"secretHash,omitempty"`
	EnrolledAt time.Time `json:"enrolledAt"`
	Inventory  Inventory `json:"inventory"`

	// Keys are what it may show itself with: the one in use, and while it is being renewed the next one.
	Keys      []AgentKey `json:"keys,omitempty"`
	JoinToken string     `json:"joinToken,omitempty"` // id of the invitation with which it came

	// What the farm's people want of the machine, whatever it says itself. With Named its name is theirs too.
	Named   bool     `json:"named,omitempty"`
	Drained bool     `json:"drained,omitempty"` // finishes what it has and gets nothing more
	Paused  bool     `json:"paused,omitempty"`  // gives back what it has and gets nothing
	Tags    []string `json:"tags,omitempty"`    // beside those of its inventory
	// SetAside is why the farm gives the machine no work for a while; nil when it does. It is kept in the machine's Health.
	SetAside *SetAside `json:"setAside,omitempty"`
}

// AgentKey is a key for which the farm has made a machine a certificate.
type AgentKey struct {
	SHA256 string    `json:"sha256"` // of the public key as certificates hold it (SubjectPublicKeyInfo), in hex
	Until  time.Time `json:"until"`  // when its certificate expires
}

// Health is what the farm has seen of a machine's failures. A machine without any has none.
type Health struct {
	InRow    int       `json:"inRow"`   // attempts that failed there since one went well, each of another job than the one before
	LastJob  string    `json:"lastJob"` // whose attempt failed last
	SetAside *SetAside `json:"setAside,omitempty"`
	// Spoilt are the works, templates as a rule, whose jobs failed for good there since an attempt went well, the last behind.
	Spoilt []string `json:"spoilt,omitempty"`
}

// What a machine is set aside after, where the policy says nothing else, and for how long. Still failing after that time, it is
// set aside again at once.
const (
	SetAsideAfter = 5 // failures as Health counts them
	SetAsideFor   = 30 * time.Minute
)

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
	// NotReady says that the reason is no person's wish: the machine lacks something, such as room on its disk, and works again by
	// itself once it has that. Presence is not PresenceFree then.
	NotReady bool `json:"notReady,omitempty"`
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
	Agent    string  // the machine's id, "" where a leader of an older release did not tell
	Progress float64 // 0..100
	Frame    int     // last frame done
	Phase    string  // such as "downloading", "rendering", "uploading"
	Since    time.Time
}
