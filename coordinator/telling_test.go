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
	if len(told) != 3 {
		t.Fatalf("the welcome tells of %v", told)
	}
	gone := followers[0]
	if err := leader.RemoveNode(t.Context(), leader.admin, gone.NodeID()); err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(told), func(address string) bool { return address == gone.cfg.PublicAddress })
	for {
		m := s.hear()
		if m.Coordinators == nil {
			t.Fatalf("got %+v", m)
		}
		if slices.Equal(m.Coordinators.Addresses, want) {
			return
		}
	}
}
