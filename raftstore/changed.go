package raftstore

import "overcrank/farm"

// Changed is a record that a command made, changed or removed, for those who show it. Jobs, tasks and machines are told of otherwise.
type Changed struct {
	Kind farm.EventKind
	Team string
	ID   string
}

// note remembers what the command under way has changed; a record that changes twice is told once.
func (t *tables) note(kind farm.EventKind, team, id string) {
	changed := Changed{Kind: kind, Team: team, ID: id}
	for _, known := range t.changed {
		if known == changed {
			return
		}
	}
	t.changed = append(t.changed, changed)
}

// noted gives what the command that has ended changed.
func (t *tables) noted() []Changed {
	changed := t.changed
	t.changed = nil
	return changed
}
