package coordinator_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/membership"
)

// TestACoordinatorWithAWrongRuleIsFound runs three coordinators, of which one comes to other rows than the others from the same
// commands: it says so itself and is not ready, and the others name it.
func TestACoordinatorWithAWrongRuleIsFound(t *testing.T) {
	t.Parallel()
	var wrong [3]atomic.Bool
	n := 0
	s := openSeveral(t, func(cfg *coordinator.Config) {
		bent := &wrong[n]
		n++
		cfg.WrongRule = func(bucket, _ string, value []byte) []byte {
			if bucket != "tasks" || !bent.Load() {
				return value
			}
			return append(append([]byte(nil), value[:len(value)-1]...), " }"...)
		}
	})
	leader, followers := s.parted()
	leader.eventually("the farm compares rows", func() bool {
		level, err := leader.Level()
		return err == nil && level >= 3
	})
	leader.submit()
	for _, r := range s.nodes {
		r.eventually("all is well", func() bool {
			cluster, err := r.Cluster().Status(t.Context(), r.admin, 0)
			for _, m := range cluster.Members {
				if m.Differs || m.Fingerprint != cluster.Members[0].Fingerprint {
					return false
				}
			}
			return err == nil && r.Ready() == nil
		})
	}

	astray := followers[0]
	view, err := astray.Cluster().Status(t.Context(), astray.admin, 0)
	if err != nil {
		t.Fatal(err)
	}
	self := view.Self
	for i, r := range s.nodes {
		wrong[i].Store(r == astray)
	}
	leader.submit()
	astray.eventually("the coordinator says that its state is another", func() bool {
		err := astray.Ready()
		return err != nil && strings.Contains(err.Error(), "differs from the others': "+membership.AstrayWayOut)
	})
	for _, r := range []*rig{leader, followers[1]} {
		r.eventually("the others name it", func() bool {
			cluster, err := r.Cluster().Status(t.Context(), r.admin, 0)
			if err != nil {
				return false
			}
			named := false
			for _, m := range cluster.Members {
				if m.Differs != (m.ID == self) {
					return false
				}
				named = named || m.Differs && strings.Contains(strings.Join(cluster.Warnings, "\n"), "the state of coordinator "+m.Name+" differs")
			}
			return named
		})
		if err := r.Ready(); err != nil {
			t.Errorf("a coordinator that is right is not ready: %v", err)
		}
	}
}
