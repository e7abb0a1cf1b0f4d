package wire

// Version is the version of this protocol. An agent of another version gets no work, since an agent that does not know a field of a lease would
// render something else than was asked for; all that it can do is to be updated, see OtherVersion. Version 1, of release v0.1.0, had no secrets,
// joins and uploads; version 2 had bearer secrets instead of certificates.
const Version = 3

// FirstUpdatable is the first version whose agents can be updated by a farm of any later version. Agents of earlier ones are turned away.
const FirstUpdatable = 3

// OtherVersion answers the Hello of an agent of another version. The session is then for updates alone: the agent drops the work that it holds,
// which the farm gives to other machines. It sends Updating at once, when that changes, and at least every HeartbeatSeconds; the coordinator sends
// Update and Redirect. Neither sends or acts on anything else. The files of a release are fetched from PathFiles, as always.
//
// Agents and coordinators of all versions from FirstUpdatable on understand each other that far. So the fields of OtherVersion, Updating, Update,
// Redirect and the field Version of Hello keep their names, types and meanings for ever, and others may only be added that can be left out.
type OtherVersion struct {
	Version          int     `json:"version"` // of the protocol, that the coordinator speaks
	HeartbeatSeconds float64 `json:"heartbeatSeconds"`
	// Coordinators are the base addresses of all coordinators of the farm.
	Coordinators []string `json:"coordinators,omitempty"`
}

// Stable tells whether agents of every version understand the message of a coordinator.
func (m Message) Stable() bool { return m.OtherVersion != nil || m.Update != nil || m.Redirect != nil }
