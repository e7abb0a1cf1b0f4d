package farm

import "time"

// Agent is a workstation that has enrolled.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name"` // host name, or what its owner or the farm's people called it
	// SecretHash is the hash of the bearer secret of a machine that enrolled before there were certificates; "" once it
	// has shown one.
	SecretHash string    `json:"secretHash,omitempty"`
	EnrolledAt time.Time `json:"enrolledAt"`
	Inventory  Inventory `json:"inventory"`

	// Keys identify the machine: the key in use, and during its renewal the next one.
	Keys      []AgentKey `json:"keys,omitempty"`
	JoinToken string     `json:"joinToken,omitempty"` // id of the invitation that it enrolled with

	// Settings that the farm's people made for the machine; they outrank its own. Named says that they also chose its
	// name.
	Named   bool     `json:"named,omitempty"`
	Drained bool     `json:"drained,omitempty"` // finishes its tasks and gets no more
	Paused  bool     `json:"paused,omitempty"`  // gives its tasks back and gets no more
	Tags    []string `json:"tags,omitempty"`    // in addition to those of its inventory
	// Hours are when the farm gives the machine work, by the machine's own clock; none means always. Its own rules may leave less.
	Hours []Hours `json:"hours,omitempty"`
	// SetAside is why the machine gets no work for a while; nil when it gets work. It is kept in the machine's Health.
	SetAside *SetAside `json:"setAside,omitempty"`
}

// AgentKey is a key for which the farm has issued a machine a certificate.
type AgentKey struct {
	SHA256 string    `json:"sha256"` // of the public key as certificates hold it (SubjectPublicKeyInfo), in hex
	Until  time.Time `json:"until"`  // when its certificate expires
}

// Health is a machine's record of failures. A machine without failures has none.
type Health struct {
	InRow    int       `json:"inRow"`   // failed attempts since the last success; consecutive ones of the same job count once
	LastJob  string    `json:"lastJob"` // the job of the last failed attempt
	SetAside *SetAside `json:"setAside,omitempty"`
	// Spoilt are the kinds of work, usually templates, whose jobs failed for good there since the last success; the
	// latest is last.
	Spoilt []string `json:"spoilt,omitempty"`
	// ForGood is how many jobs failed for good there since the last success, or since another machine failed one of them too; LastForGood is
	// the last of them.
	ForGood     int    `json:"forGood,omitempty"`
	LastForGood string `json:"lastForGood,omitempty"`
}

// After how many failures a machine is set aside, and for how long, when the policy does not say. If it fails again
// after that time, it is set aside again at once.
const (
	SetAsideAfter = 5 // failures as Health counts them
	SetAsideFor   = 30 * time.Minute
)

// SetAside is a time in which a machine gets no work because it failed too often.
type SetAside struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Until  time.Time `json:"until,omitzero"` // zero: until somebody lets it work again
}

// Presence is whether a machine's own rules, those of the artist who uses it, let it work now.
type Presence string

// The presences of a machine.
const (
	PresenceFree     Presence = "free"     // also when empty
	PresenceYielding Presence = "yielding" // its artist is back: it is giving its tasks back
	PresenceAway     Presence = "away"     // takes no work
)

// Availability is a machine's presence with its reason.
type Availability struct {
	Presence Presence  `json:"presence,omitempty"`
	Reason   string    `json:"reason,omitempty"` // such as "somebody works at it"
	Until    time.Time `json:"until,omitzero"`   // when that may change; zero when nobody knows
	// NotReady says that the reason is nobody's wish: the machine lacks something, such as room on its disk, and works
	// again by itself once it has that. Presence is not PresenceFree then.
	NotReady bool `json:"notReady,omitempty"`
	// AfterEffects is why the machine's After Effects cannot run now, such as "nobody is signed in"; other work is possible. "" when it can,
	// and for a machine without one.
	AfterEffects string   `json:"afterEffects,omitempty"`
	SignedIn     SignedIn `json:"signedIn,omitempty"`
	InUse        bool     `json:"inUse,omitempty"` // by the machine's own rules: there was input lately, or a program runs that stands for its user
	// NoFrame is why the machine could not render the frame that it shows once it was installed; "" when it could, or shows none.
	NoFrame string `json:"noFrame,omitempty"`
}

// SignedIn is whether somebody is signed in at a machine itself.
type SignedIn string

// The states of SignedIn.
const (
	SignedInUnknown SignedIn = "" // the machine cannot tell, or has no reason to look
	SignedInNobody  SignedIn = "none"
	SignedInLocked  SignedIn = "locked" // and the screen is locked
	SignedInActive  SignedIn = "active"
)

// Desk is what goes on before a machine, in one word.
type Desk string

// The states of Desk.
const (
	DeskUnknown Desk = ""
	DeskNobody  Desk = "nobody" // is signed in
	DeskLocked  Desk = "locked" // somebody is signed in, and the screen is locked
	DeskArtist  Desk = "artist" // somebody is at work
	DeskFree    Desk = "free"   // somebody is signed in, and does not use it
)

// Desk is what goes on before the machine, as far as it tells.
func (a Availability) Desk() Desk {
	switch {
	case a.SignedIn == SignedInNobody:
		return DeskNobody
	case a.SignedIn == SignedInLocked:
		return DeskLocked
	case a.InUse:
		return DeskArtist
	case a.SignedIn == SignedInActive:
		return DeskFree
	}
	return DeskUnknown
}

// Machine is an agent with its current state.
type Machine struct {
	Agent
	Online   bool      // its websocket is open
	Gossip   bool      // gossip reports it as alive
	LastSeen time.Time // when its last message came
	Address  string
	Running  []RunningTask
	Availability
	Load  *Load      // nil while the machine is away, or does not tell
	Rules *WorkRules // the same
}

// RunningTask is a lease that a machine holds now. Another team's shows neither ids nor numbers.
type RunningTask struct {
	Task     string
	Job      string
	Attempt  int
	Agent    string  // the machine's id, "" from a leader of an older release
	Progress float64 // 0..100
	Frame    int     // last frame done
	Phase    string  // such as "downloading", "rendering", "uploading"
	Since    time.Time
}

// AgentChange is what people want of a machine; nil leaves a field as it is.
type AgentChange struct {
	Name    *string // "" gives it back its own
	Drained *bool
	Paused  *bool
	Tags    *[]string
	Hours   *[]Hours // empty: the farm gives it work at any hour
	Restore bool     // it is no longer set aside
}
