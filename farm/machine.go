package farm

import "slices"

// MachineState is what a machine is doing, in one word.
type MachineState string

// The states of machines. Where several apply, the first of these is shown.
const (
	MachineOffline   MachineState = "offline"
	MachinePaused    MachineState = "paused"    // by people: it gives its tasks back
	MachineSetAside  MachineState = "set_aside" // it failed too often
	MachineDraining  MachineState = "draining"  // by people: it finishes its tasks
	MachineDrained   MachineState = "drained"   // by people: it has no tasks and gets none
	MachineNotReady  MachineState = "not_ready" // it lacks something, such as room on its disk
	MachineAway      MachineState = "away"      // by its own rules, for instance because its artist is using it
	MachineRendering MachineState = "rendering"
	MachineFree      MachineState = "free"
)

// MachineStates are all states of machines.
func MachineStates() []MachineState {
	return []MachineState{MachineOffline, MachinePaused, MachineSetAside, MachineDraining, MachineDrained, MachineNotReady, MachineAway, MachineRendering, MachineFree}
}

// State is the first of the machine's states that applies.
func (m Machine) State() MachineState {
	switch {
	case !m.Online:
		return MachineOffline
	case m.Paused:
		return MachinePaused
	case m.SetAside != nil:
		return MachineSetAside
	case m.Drained && len(m.Running) > 0:
		return MachineDraining
	case m.Drained:
		return MachineDrained
	case m.NotReady:
		return MachineNotReady
	case m.Presence != "" && m.Presence != PresenceFree:
		return MachineAway
	case len(m.Running) > 0:
		return MachineRendering
	default:
		return MachineFree
	}
}

// AllTags are those of the machine's inventory and those that people gave it.
func (a Agent) AllTags() []string {
	tags := slices.Clone(a.Inventory.Tags)
	for _, tag := range a.Tags {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// AgentQuery selects machines. Zero values do not filter.
type AgentQuery struct {
	States []MachineState
	Tag    string
	// JoinToken is the id of an invitation, for the machines that joined with it. Ids grow with time, so that a Cursor of the same value skips all machines
	// that joined before it was made.
	JoinToken string
	Limit     int    // 0 means 100
	Cursor    string // from an earlier answer
}
