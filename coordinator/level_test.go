package coordinator_test

import (
	"testing"
	"time"

	"overcrank/raftstore/command"
)

// TestANewFarmIsAtItsLevelBeforeItIsReady: what somebody asks of it at once is not refused as beyond its level.
func TestANewFarmIsAtItsLevelBeforeItIsReady(t *testing.T) {
	r := open(t)
	for r.Ready() != nil {
		time.Sleep(time.Millisecond)
	}
	if level, err := r.Level(); err != nil || level != command.NewestLevel {
		t.Errorf("a farm that is ready is at level %d, and its coordinator knows %d: %v", level, command.NewestLevel, err)
	}
}
