package farm

import (
	"cmp"
	"slices"
	"time"
)

// Release is a release of the agent's program that the farm keeps for its machines. The farm passes it on as it was signed, and each machine verifies it.
type Release struct {
	Version     string        `json:"version"`
	Number      int64         `json:"number"` // higher with each release
	Expires     time.Time     `json:"expires"`
	MinLauncher int           `json:"minLauncher,omitempty"`
	ProtocolMin int           `json:"protocolMin"` // versions of the agents' protocol that it speaks
	ProtocolMax int           `json:"protocolMax"`
	DowngradeOf int64         `json:"downgradeOf,omitempty"`
	Keys        int64         `json:"keys"` // serial of the list of keys that signed it
	KeysExpire  time.Time     `json:"keysExpire,omitzero"`
	Files       []ReleaseFile `json:"files"`
	AddedAt     time.Time     `json:"addedAt"`
	AddedBy     string        `json:"addedBy,omitempty"`
	// Documents are the release's documents as they were signed.
	Documents []ReleaseDocument `json:"documents,omitempty"`
}

// Until is until when machines can install the release: it expires itself, or the keys that signed it do.
func (r Release) Until() time.Time {
	if !r.KeysExpire.IsZero() && r.KeysExpire.Before(r.Expires) {
		return r.KeysExpire
	}
	return r.Expires
}

// ReleaseDocument is a document of a release as it was signed.
type ReleaseDocument struct {
	Name    string `json:"name"` // of its file
	Content []byte `json:"content"`
}

// ReleaseFile is the program of a release for one system.
type ReleaseFile struct {
	System string  `json:"system"` // windows, darwin, linux
	Arch   string  `json:"arch"`   // amd64, arm64, universal
	File   FileRef `json:"file"`
}

// UpdateRing is a part of the farm's machines that gets a release together.
type UpdateRing string

// The rings, in the order in which they get a release. Each includes those before it.
const (
	RingCanary UpdateRing = "canary" // machines that the settings choose
	RingTenth  UpdateRing = "tenth"  // a tenth of the machines, by their ids
	RingAll    UpdateRing = "all"
)

// UpdateRings are all rings, the first one first.
func UpdateRings() []UpdateRing { return []UpdateRing{RingCanary, RingTenth, RingAll} }

// Updates is which release the farm's machines are to run, and how they get it. It is one record.
type Updates struct {
	Revision int       `json:"revision"` // counts the changes; a change names the revision that it is based on
	At       time.Time `json:"at,omitzero"`
	By       string    `json:"by,omitempty"`

	// What people set.

	Release        string   `json:"release,omitempty"`        // version that machines are to run; "" leaves them as they are
	CanaryTags     []string `json:"canaryTags,omitempty"`     // machines with one of these are in the canary ring
	CanaryMachines []string `json:"canaryMachines,omitempty"` // so are these, by id
	Hours          []Hours  `json:"hours,omitempty"`          // when machines may update, in the farm's time zone; none for any time
	BytesPerSecond int64    `json:"bytesPerSecond,omitempty"` // of one machine's download; 0 for no limit
	AtOnce         int      `json:"atOnce,omitempty"`         // machines that update at the same time; 0 means UpdatesAtOnce
	// SoakMinutes is how long a ring has to work with the release before the next ring gets it; nil means UpdateSoak.
	SoakMinutes *int `json:"soakMinutes,omitempty"`

	// What the farm decides.

	Ring    UpdateRing `json:"ring,omitempty"`   // the ring that gets the release now
	Since   time.Time  `json:"since,omitzero"`   // when the release was chosen
	Resumed time.Time  `json:"resumed,omitzero"` // when people last resumed the release; earlier failures do not stop it again
	// Stopped says why no further machine gets the release; nil while they do.
	Stopped *UpdateStop `json:"stopped,omitempty"`
}

// Past returns until when failures of machines are of the past: they do not stop the release.
func (u Updates) Past() time.Time {
	if u.Resumed.After(u.Since) {
		return u.Resumed
	}
	return u.Since
}

// UpdateStop is why a release was stopped on its way through the farm.
type UpdateStop struct {
	Reason  string    `json:"reason"`
	Machine string    `json:"machine,omitempty"` // id of the machine on which it failed
	At      time.Time `json:"at"`
}

// Defaults and bounds of Updates.
const (
	UpdatesAtOnce  = 20
	UpdateSoak     = 30 * time.Minute
	maxUpdateNames = 200
	MaxSoakMinutes = 7 * 24 * 60
)

// Soak is how long a ring works with a release before the next ring gets it.
func (u Updates) Soak() time.Duration {
	if u.SoakMinutes == nil {
		return UpdateSoak
	}
	return time.Duration(*u.SoakMinutes) * time.Minute
}

// MostAtOnce is how many machines may update at the same time.
func (u Updates) MostAtOnce() int { return cmp.Or(u.AtOnce, UpdatesAtOnce) }

// Problems are what is wrong with the settings, in the order of their fields.
func (u Updates) Problems() []FieldError {
	var wrong problems
	wrong.add(len(u.CanaryTags) > maxUpdateNames, "canaryTags", "has to have at most %d entries", maxUpdateNames)
	wrong.add(len(u.CanaryMachines) > maxUpdateNames, "canaryMachines", "has to have at most %d entries", maxUpdateNames)
	wrong.add(slices.Contains(u.CanaryTags, ""), "canaryTags", "has an empty tag")
	wrong.add(slices.Contains(u.CanaryMachines, ""), "canaryMachines", "has an empty id")
	wrong.add(len(u.Hours) > maxHours, "hours", "has to have at most %d entries", maxHours)
	for _, h := range u.Hours {
		wrong.add(h.From < 0 || h.From >= minutesOfDay || h.To < 0 || h.To >= minutesOfDay, "hours", "has to have times from 00:00 to 24:00")
	}
	wrong.add(u.BytesPerSecond < 0, "bytesPerSecond", "has to be 0 or more")
	wrong.count("atOnce", u.AtOnce)
	wrong.add(u.SoakMinutes != nil && (*u.SoakMinutes < 0 || *u.SoakMinutes > MaxSoakMinutes), "soakMinutes", "has to be between 0 and %d", MaxSoakMinutes)
	return wrong
}

// UpdateMode says who brings releases to a machine.
type UpdateMode string

// The modes of machines.
const (
	UpdatedByFarm   UpdateMode = "farm"
	UpdatedByOthers UpdateMode = "managed" // its administrators install releases; it only reports what it runs
	UpdatedByHand   UpdateMode = "manual"  // no launcher starts its agent, so it cannot be updated
)

// UpdateState is how far a machine is with a release.
type UpdateState string

// The states. UpdateNone is that of a machine with nothing to do.
const (
	UpdateNone        UpdateState = ""
	UpdateDownloading UpdateState = "downloading"
	UpdateFinishing   UpdateState = "finishing"  // it has downloaded the release, and finishes its tasks
	UpdateInstalling  UpdateState = "installing" // it restarts with the release
	UpdateRetrying    UpdateState = "retrying"   // it could not be downloaded or tried; the machine tries again after a pause
	UpdateDone        UpdateState = "updated"
	UpdateRefused     UpdateState = "refused"     // it did not take the release
	UpdateRolledBack  UpdateState = "rolled_back" // the release failed its trial, and the previous one runs again
)

// UpdateStates are all states but UpdateNone.
func UpdateStates() []UpdateState {
	return []UpdateState{UpdateDownloading, UpdateFinishing, UpdateInstalling, UpdateRetrying, UpdateDone, UpdateRefused, UpdateRolledBack}
}

// Lasting tells whether the state outlives the machine's connection, so that the farm keeps it.
func (s UpdateState) Lasting() bool {
	switch s {
	case UpdateInstalling, UpdateRetrying, UpdateDone, UpdateRefused, UpdateRolledBack:
		return true
	default:
		return false
	}
}

// MachineUpdate is what a machine runs, and how far it is with a release.
type MachineUpdate struct {
	Agent   string      `json:"agent"`
	Version string      `json:"version"` // that it runs; "" when it has not told
	Mode    UpdateMode  `json:"mode,omitempty"`
	Release string      `json:"release,omitempty"` // version that State is about
	State   UpdateState `json:"state,omitempty"`
	Reason  string      `json:"reason,omitempty"` // why it was refused or rolled back, why it is tried again, or why no frame was rendered
	// Failures counts the attempts to take Release that failed, since the agent started.
	Failures int `json:"failures,omitempty"`
	// Rendered tells whether the machine has rendered a frame with the version that it runs. A release is judged by such machines alone.
	Rendered bool      `json:"rendered,omitempty"`
	At       time.Time `json:"at,omitzero"` // since when all of this but Mode and Reason is so
}

// Well tells whether the machine runs a release and has shown that it renders.
func (m MachineUpdate) Well(release string) bool {
	return m.Version == release && m.Release == release && m.State == UpdateDone && m.Rendered
}
