package agent

import (
	"testing"

	"overcrank/durable"
)

// What an archive unpacks to leaves the room without which the machine's other tasks could not work.
func TestUnpackingLeavesTheRoomThatWorkNeeds(t *testing.T) {
	t.Parallel()
	r := room{dir: t.TempDir()}
	free, _, err := durable.Space(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.takes(0); free > 2*leastRoom && err != nil {
		t.Errorf("nothing more to unpack, %d bytes free: %v", free, err)
	}
	if err := r.takes(2 * free); !durable.Full(err) {
		t.Errorf("twice of what is free: %v", err)
	}
}
