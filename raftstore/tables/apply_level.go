package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// metaLevel is the key of the farm's level in bucketMeta, JSON; nothing there means FirstLevel.
const metaLevel = "level"

// raised is what is kept of the last SetLevel.
type raised struct {
	Level   int    `json:"level"`
	Version string `json:"version"`
}

// Allows refuses a command that some node of the farm would not understand.
func (tx *Tx) Allows(cmd command.Command) error {
	if need, now := cmd.Needs(), tx.t.level().Level; need > now {
		return farm.Errorf(farm.CodeConflict, "this needs a later release of overcrank on every coordinator of the farm: %s", tx.t.behind(need))
	}
	return tx.t.err
}

// level is the farm's level.
func (t *tables) level() raised {
	if r, known := often[raised](t, bucketMeta, metaLevel); known {
		return r
	}
	return raised{Level: command.FirstLevel}
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
		t := ReadFile(tx).t
		r := t.level()
		if t.err != nil || r.Level <= command.NewestLevel {
			return t.err
		}
		return tooNew(r)
	})
}

func tooNew(r raised) error {
	return fmt.Errorf("the farm has been at level %d since overcrank %s raised it, and this program knows level %d at most: %w", r.Level, r.Version, command.NewestLevel, command.ErrNewer)
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
	if !errors.Is(err, command.ErrNewer) {
		return err
	}
	var newer []string
	for _, c := range all[farm.Coordinator](t, bucketCoordinators) {
		if c.Level > command.NewestLevel {
			newer = append(newer, fmt.Sprintf("coordinator %s (%s) runs overcrank %s", c.ID, c.Name, c.Version))
		}
	}
	if len(newer) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(newer, ", "))
}

// Level is the farm's level, and the version of the program that raised it; "" on a farm of release v0.1.0.
func (tx *Tx) Level() (level int, version string, err error) {
	r := tx.t.level()
	return r.Level, r.Version, tx.t.err
}

func (t *tables) setLevel(c command.SetLevel) command.Result {
	now := t.level()
	if t.err != nil {
		return command.Result{}
	}
	if c.Level <= now.Level {
		return refusef(farm.CodeConflict, "the farm is at level %d already", now.Level)
	}
	for _, node := range all[farm.Coordinator](t, bucketCoordinators) {
		if node.Level < c.Level {
			return refusef(farm.CodeConflict, "the farm stays at level %d: %s", now.Level, t.behind(c.Level))
		}
	}
	raise := raised(c)
	// Nothing else depends on the program rather than on the state: a node that does not know what comes must not go on.
	if c.Level > command.NewestLevel {
		t.fail(tooNew(raise))
		return command.Result{}
	}
	value, err := json.Marshal(raise)
	if err != nil {
		t.fail(fmt.Errorf("encode the farm's level: %w", err))
		return command.Result{}
	}
	t.set(bucketMeta, metaLevel, value)
	t.inForce = c.Level
	return command.Result{}
}
