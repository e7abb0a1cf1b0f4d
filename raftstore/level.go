package raftstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/raftstore/layered"
)

// A farm's level says which commands may be written: those that the programs of all its nodes understand. Nodes are updated one
// after the other, and back; meanwhile newer ones write nothing that older ones cannot read. When every node's record says a
// higher level, the leader raises the farm's, after which older programs cannot follow and say so.
//
// A release that brings a command, or a field of one, that the release before would not understand, raises NewestLevel, and the
// command says so by a method level.
const (
	// FirstLevel is that of release v0.1.0, which knew one coordinator only.
	FirstLevel = 1
	// clusterLevel is that of the first release that knows clusters. No node of an older one can be a member, so all its commands
	// may always be written.
	clusterLevel = 2
	// checkedLevel is that of the release whose nodes compare the rows that they hold, and check them in their files.
	checkedLevel = 3

	// SecretTagsLevel is from which level on secrets may be bound to machines, and jobs say which secrets they use.
	SecretTagsLevel = checkedLevel
	// RootsLevel is from which level on inventories say which folders machines may take files from.
	RootsLevel = checkedLevel
)

// metaLevel is the key of the farm's level in bucketMeta, JSON; nothing there means FirstLevel.
const metaLevel = "level"

// raised is what is kept of the last SetLevel.
type raised struct {
	Level   int    `json:"level"`
	Version string `json:"version"`
}

// errNewer marks a state or a command of a release that this program does not understand. It is no damage, and nothing is to be
// made again because of it.
var errNewer = errors.New("update overcrank on this machine")

// leveled is a command that not every release with clusters understands.
type leveled interface{ level() int }

// levelOf is from which level on a command may be written.
func levelOf(cmd Command) int {
	if c, ok := cmd.(leveled); ok {
		return c.level()
	}
	return clusterLevel
}

// allowed refuses a command that some node of the farm would not understand.
func (s *Store) allowed(cmd Command) error {
	need := levelOf(cmd)
	if need <= clusterLevel {
		return nil
	}
	return s.machine.view(func(t *tables) error {
		if r := t.level(); need > r.Level {
			return farm.Errorf(farm.CodeConflict, "this needs a later release of overcrank on every coordinator of the farm: %s", t.behind(need))
		}
		return t.err
	})
}

// level is the farm's level.
func (t *tables) level() raised {
	value := t.value(bucketMeta, metaLevel)
	if value == nil {
		return raised{Level: FirstLevel}
	}
	var r raised
	if err := json.Unmarshal(value, &r); err != nil {
		t.fail(fmt.Errorf("state is damaged: the farm's level: %w", err))
	}
	return r
}

// KnowsMissingFootage says whether all coordinators understand FinishTemplate.MissingFootage.
func (s *Store) KnowsMissingFootage() (known bool) {
	_ = s.machine.view(func(t *tables) error {
		known = t.level().Level >= checkedLevel
		return t.err
	})
	return known
}

// since says whether the farm's level, at this place of the log, is at least so high. A rule that a release changes asks for it: below
// the level of that release it does what the rule did before, so that nodes of different releases, and one that applies an old log
// again, come to the same rows. What the old rule did goes when no log can hold entries from below that level any more.
func (t *tables) since(level int) bool {
	if t.inForce == 0 {
		t.inForce = t.level().Level
	}
	return t.inForce >= level
}

// understood refuses a state whose level is beyond this program's.
func understood(db *bbolt.DB) error {
	return db.View(func(tx *bbolt.Tx) error {
		t := &tables{rows: layered.Of(tx, buckets()), kept: &decoded{}}
		r := t.level()
		if t.err != nil || r.Level <= NewestLevel {
			return t.err
		}
		return tooNew(r)
	})
}

func tooNew(r raised) error {
	return fmt.Errorf("the farm has been at level %d since overcrank %s raised it, and this program knows level %d at most: %w", r.Level, r.Version, NewestLevel, errNewer)
}

// behind names the coordinators whose programs do not understand a level.
func (t *tables) behind(level int) string {
	var late []string
	for _, c := range all[farm.Coordinator](t, bucketCoordinators) {
		if c.Level < level {
			late = append(late, fmt.Sprintf("%s (%s) runs overcrank %s", c.ID, c.Name, c.Version))
		}
	}
	if len(late) == 0 {
		return "all of them have it, and the farm takes it up within a minute"
	}
	return strings.Join(late, ", ") + "; update it there"
}

// explainUnknown adds to the error of a command that cannot be read whose program may have written it.
func (t *tables) explainUnknown(err error) error {
	if !errors.Is(err, errNewer) {
		return err
	}
	var newer []string
	for _, c := range all[farm.Coordinator](t, bucketCoordinators) {
		if c.Level > NewestLevel {
			newer = append(newer, fmt.Sprintf("coordinator %s (%s) runs overcrank %s", c.ID, c.Name, c.Version))
		}
	}
	if len(newer) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(newer, ", "))
}

// Level is the farm's level, and the version of the program that raised it, "" on a farm of release v0.1.0.
func (tx *Tx) Level() (level int, version string, err error) {
	r := tx.t.level()
	return r.Level, r.Version, tx.t.err
}
