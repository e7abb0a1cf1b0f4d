package aerender

import (
	"runtime/debug"
	"runtime/metrics"

	"overcrank/engine/render"
)

const (
	// collectRoom is how many bytes may be allocated from one collection of garbage to the next however few are in use: what expressions and outlines
	// leave behind is soon as much as a quarter of a small heap, and each collection looks through all of it.
	collectRoom = 64 << 20
	// collectMost is the largest percentage by which the memory in use may grow.
	collectMost = 400
)

// collector sets by how much the memory in use may grow before garbage is collected.
type collector struct{ percent int }

// pace sets the percentage for what is in use now.
func (c *collector) pace() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if p := collectAt(sample[0].Value.Uint64()); p*8 < c.percent*7 || p*8 > c.percent*9 { // each change stops the program for a moment
		c.percent = p
		debug.SetGCPercent(p)
	}
}

// collectAt is the percentage for so many bytes in use: render.CollectAt, or what leaves collectRoom.
func collectAt(live uint64) int {
	return max(render.CollectAt, int(min(collectMost, collectRoom*100/max(1, live))))
}
