package coordinator_test

import (
	"testing"

	"overcrank/farm"
)

// A machine that asks for everything gets what its hardware can have, and what the policy lets it.
func TestNoMachineTakesTheWholeFarm(t *testing.T) {
	t.Parallel()
	r := open(t)
	for range 12 {
		r.submit()
	}
	s := r.enrol("greedy", func(inv *farm.Inventory) { inv.Slots, inv.CPUs, inv.Memory = 100_000, 2, 64<<30 })
	s.connect()
	for range 8 {
		s.lease()
	}
	s.silent()
	rendering := func() int {
		t.Helper()
		counts, err := r.CountJobs(t.Context(), r.admin)
		if err != nil {
			t.Fatal(err)
		}
		return counts[farm.JobRendering]
	}
	if n := rendering(); n != 8 {
		t.Errorf("a machine with two processors renders %d jobs at once", n)
	}
	r.eventually("the policy is set, once the farm's level allows that", func() bool {
		_, err := r.ChangePolicy(t.Context(), r.admin, nil, func(p *farm.Policy) { p.MaxSlotsPerMachine = 1 })
		if err != nil && farm.CodeOf(err) != farm.CodeConflict {
			t.Fatal(err)
		}
		return err == nil
	})
	other := r.enrol("modest", func(inv *farm.Inventory) { inv.Slots = 3 })
	other.connect()
	other.lease()
	other.silent()
	if n := rendering(); n != 9 {
		t.Errorf("%d jobs render, want one more", n)
	}
}
