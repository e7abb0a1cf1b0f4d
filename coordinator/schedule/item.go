package schedule

import (
	"cmp"
	"math"
	"time"

	"overcrank/farm"
)

// item is a task in the queue. There may be a million of them: what tasks have in common stands in their class, and times
// are Unix nanoseconds.
type item struct {
	id        string
	class     *class
	created   int64
	notBefore int64 // noTime for none
	attempt   int32
	priority  int32
	index     int32 // in its heap
	level     level
	later     bool // it lies in the heap of those with a later NotBefore
}

// noTime stands for the zero time.
const noTime = math.MinInt64

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixNano()
}

func timeAt(nanoseconds int64) time.Time {
	if nanoseconds == noTime {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}

func (it *item) task() Task {
	return Task{
		ID: it.id, Attempt: int(it.attempt), Level: it.level.name(), Priority: int(it.priority),
		Created: timeAt(it.created), NotBefore: timeAt(it.notBefore),
		Engine: it.class.engine, Tags: it.class.tags, Avoid: it.class.avoid,
	}
}

func before(a, b *item) bool {
	return cmp.Or(
		cmp.Compare(a.level, b.level),
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(a.created, b.created),
		cmp.Compare(a.id, b.id)) < 0
}

// level is the rank of a farm.Level, the most urgent first.
type level uint8

const (
	rush level = iota
	normal
	overnight
)

func levelOf(l farm.Level) level {
	switch l {
	case farm.LevelRush:
		return rush
	case farm.LevelOvernight:
		return overnight
	default:
		return normal
	}
}

func (l level) name() farm.Level {
	switch l {
	case rush:
		return farm.LevelRush
	case overnight:
		return farm.LevelOvernight
	default:
		return farm.LevelNormal
	}
}

// heapOf is a heap whose items know where they lie.
type heapOf struct {
	items []*item
	less  func(a, b *item) bool
}

// Len implements heap.Interface.
func (h *heapOf) Len() int { return len(h.items) }

// Less implements heap.Interface.
func (h *heapOf) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }

// Swap implements heap.Interface.
func (h *heapOf) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.items[i].index, h.items[j].index = int32(i), int32(j)
}

// Push implements heap.Interface.
func (h *heapOf) Push(x any) {
	it := x.(*item)
	it.index = int32(len(h.items))
	h.items = append(h.items, it)
}

// Pop implements heap.Interface.
func (h *heapOf) Pop() any {
	last := h.items[len(h.items)-1]
	h.items[len(h.items)-1] = nil
	h.items = h.items[:len(h.items)-1]
	return last
}
