package coordinator_test

import (
	"slices"
	"testing"
	"time"

	"overcrank/coordinator"
)

// Agents that are linked hear who the coordinators are now, when one is removed.
func TestLinkedAgentsHearWhoTheCoordinatorsAre(t *testing.T) {
	t.Parallel()
	nodes := openSeveral(t, func(cfg *coordinator.Config) { cfg.PromoteAfter = 100 * time.Millisecond })
	leader, followers := nodes.parted()
	s := leader.enrol("box")
	told := s.connect().Coordinators
	leader.eventually("the agent knows all three", func() bool {
		select {
		case told = <-s.lists:
		default:
		}
		return len(told) == 3
	})
	gone := followers[0]
	if err := leader.Cluster().Remove(t.Context(), leader.admin, gone.NodeID()); err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(told), func(address string) bool { return address == gone.cfg.PublicAddress })
	leader.eventually("the agent is told", func() bool {
		select {
		case list := <-s.lists:
			return slices.Equal(list, want)
		default:
			return false
		}
	})
}
