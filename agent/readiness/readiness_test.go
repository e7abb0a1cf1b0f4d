package readiness

import (
	"testing"

	"overcrank/durable"
)

// What an archive unpacks to leaves the space without which the machine's other tasks could not work.
func TestUnpackingLeavesTheSpaceThatWorkNeeds(t *testing.T) {
	t.Parallel()
	r := New(t.TempDir())
	free, _, err := durable.Space(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.TakesBytes(0); free > 2*leastSpace && err != nil {
		t.Errorf("nothing more to unpack, %d bytes free: %v", free, err)
	}
	if err := r.TakesBytes(2 * free); !durable.Full(err) {
		t.Errorf("twice of what is free: %v", err)
	}
}
