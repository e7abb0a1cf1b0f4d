package coordinator_test

import (
	"testing"

	"overcrank/raftstore"
)

func TestAFarmRisesToTheLevelOfItsCoordinators(t *testing.T) {
	r := open(t)
	r.eventually("the farm to be at the level of its one coordinator", func() bool {
		level, err := r.Level()
		return err == nil && level == raftstore.NewestLevel
	})
}
