package raftstore

import (
	"encoding/json"
	"fmt"

	"overcrank/farm"
)

func (t *tables) setLevel(c SetLevel) Result {
	now := t.level()
	if t.err != nil {
		return Result{}
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
	if c.Level > NewestLevel {
		t.fail(tooNew(raise))
		return Result{}
	}
	value, err := json.Marshal(raise)
	if err != nil {
		t.fail(fmt.Errorf("encode the farm's level: %w", err))
		return Result{}
	}
	t.set(bucketMeta, metaLevel, value)
	t.inForce = c.Level
	return Result{}
}
