package memory_test

import (
	"testing"

	"overcrank/memory"
)

func TestSomeMemoryIsAvailable(t *testing.T) {
	free, known := memory.Available()
	if known && (free <= 0 || free > memory.Total()) {
		t.Errorf("%d of %d bytes are available", free, memory.Total())
	}
}
