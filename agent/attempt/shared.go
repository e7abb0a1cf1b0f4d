package attempt

import (
	"strconv"

	"overcrank/frames/shelf"
)

// Shared is where frames are kept that jobs of this machine share.
type Shared struct {
	Dir   string
	Limit int64 // bytes of disk; 0 shares none
}

// addable is the part of the limit, as a divisor, that renders may add at once. The rest is what is left of earlier ones.
const addable = 4

// sharedFrames tells the embedded engine of the frames that jobs of this machine share, after making room for new ones. A job that wants nothing kept,
// one that wants each frame drawn, and one that uses secrets have no part in them.
func (t *attempt) sharedFrames() []string {
	shared := t.machine.Shared
	none := []string{"OVERCRANK_FRAMES="}
	if shared.Limit <= 0 || t.lease.Discard || t.lease.Settings.DrawAll || len(t.lease.Secrets) > 0 {
		return none
	}
	room := shared.Limit / addable
	if err := shelf.Trim(shared.Dir, shared.Limit-room); err != nil {
		t.log.Warn("no frames are shared with other jobs", "error", err)
		return none
	}
	return []string{"OVERCRANK_FRAMES=" + shared.Dir, "OVERCRANK_FRAMES_ROOM=" + strconv.FormatInt(room/int64(t.machine.Slots), 10)}
}
