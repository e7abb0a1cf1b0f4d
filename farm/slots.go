package farm

import "cmp"

// MostSlots is how many tasks one machine runs at once at most, where the policy says nothing else.
const MostSlots = 64

// What a task needs at least: it runs a program that renders, with its project in memory. A machine that asks for more
// slots than its hardware allows for gets no more than that.
const (
	slotsPerCPU   = 4
	memoryPerSlot = 256 << 20 // bytes
)

// PossibleSlots is how many tasks the machine may run at once: as many as it asks for, within what its hardware allows.
func (i Inventory) PossibleSlots() int {
	slots := i.Slots
	if i.CPUs > 0 {
		slots = min(slots, slotsPerCPU*i.CPUs)
	}
	if i.Memory > 0 {
		slots = min(slots, int(min(i.Memory/memoryPerSlot, MostSlots*1000)))
	}
	return max(slots, 1)
}

// MostSlots is how many tasks one machine runs at once at most.
func (p Policy) MostSlots() int { return cmp.Or(p.MaxSlotsPerMachine, MostSlots) }
