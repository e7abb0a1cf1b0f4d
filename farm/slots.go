package farm

import "cmp"

// MostSlots is how many tasks one machine runs at once at most, where the policy says nothing else.
const MostSlots = 64

// A task is at least a program that draws, with its project in memory. What a machine says beyond this it does not have.
const (
	slotsPerCPU   = 4
	memoryPerSlot = 256 << 20 // bytes
)

// PossibleSlots is how many tasks the machine may be given at once: as many as it asks for, within what its hardware can have.
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
