package farm

import (
	"math"
	"testing"
)

func TestSlotsAreWithinWhatAMachineCanHave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		inv  Inventory
		want int
	}{
		{Inventory{}, 1},
		{Inventory{Slots: -3, CPUs: 8}, 1},
		{Inventory{Slots: 3}, 3},
		{Inventory{Slots: 3, CPUs: 2, Memory: 8 << 30}, 3},
		{Inventory{Slots: 100_000, CPUs: 2, Memory: 8 << 30}, 8},
		{Inventory{Slots: 100_000, CPUs: 64, Memory: 1 << 30}, 4},
		{Inventory{Slots: 4, CPUs: 1, Memory: 1}, 1},
		{Inventory{Slots: math.MaxInt, CPUs: 1 << 40, Memory: math.MaxInt64}, MostSlots * 1000},
	} {
		if got := c.inv.PossibleSlots(); got != c.want {
			t.Errorf("%d slots asked for on %d processors with %d bytes: %d, want %d", c.inv.Slots, c.inv.CPUs, c.inv.Memory, got, c.want)
		}
	}
	if (Policy{}).MostSlots() != MostSlots || (Policy{MaxSlotsPerMachine: 3}).MostSlots() != 3 {
		t.Error("the policy is not what counts")
	}
}
