//go:build !linux || race

package child

// limitMemory does nothing, and leaves it to watchMemory: these systems have no limit on the memory that Go programs really use, and the
// race detector maps shadow memory for the whole address space.
func limitMemory(int64) error { return nil }
