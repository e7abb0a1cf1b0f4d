package schedule

import (
	"cmp"
	"math"
	"strings"
	"time"

	"overcrank/farm"
)

// Task is a ready task as the queue orders it.
type Task struct {
	ID        string
	Job       string // whose id begins that of the task
	Team      string
	Attempt   int // number that its next lease gets
	Level     farm.Level
	Priority  int       // -1000..1000
	Created   time.Time // of its job
	NotBefore time.Time
	Sample    bool // frames to be looked at before the rest of the job, or the last step of one that is nearly done
	Whole     bool // renders a whole composition that others could render with it; the queue only keeps that
	Need      Need
	Avoid     []string // machines that failed it; see AvoidFor
	Barred    []string // machines that never get it again
	// MaxMachines render its job at once; 0 for as many as the farm allows.
	MaxMachines int
	Work        Work
}

// Work is what machines are remembered for: having the file, being quick, having done it last.
type Work struct {
	File string // the first 16 hex digits of the hash of the project's file; "" when there is none
	Name string // under which speeds are known, such as template and composition
}

// PointOfPriority is how much waiting one point of priority is worth. Tasks of one team and level are ordered by the time of
// their job less their points, so that a small priority is passed by a larger one, but not for ever.
const PointOfPriority = time.Hour

// sampleAhead is less than a point: a sample goes before tasks of its priority, and not before those of a larger one that
// were there at the same time.
const sampleAhead = PointOfPriority - time.Minute

// item is a task in the queue. There may be a million of them, so it has 64 bytes: what tasks have in common stands in their
// group, and times are Unix nanoseconds.
type item struct {
	id          string
	group       *group
	work        *work
	created     int64
	notBefore   int64 // noTime for none
	attempt     int32
	place       int32 // in its heap
	maxMachines uint16
	priority    int16
	job         uint8 // length of the job's id, which begins id
	at          whereabouts
	sample      bool
	whole       bool
}

// itemsAtOnce are made in one piece of memory. A million of them are much less work to the garbage collector so: it goes
// through each piece from its beginning to its end instead of finding every item by itself.
const itemsAtOnce = 32

func (q *Queue) newItem() *item {
	if len(q.fresh) == 0 {
		q.fresh = make([]item, itemsAtOnce)
	}
	it := &q.fresh[0]
	q.fresh = q.fresh[1:]
	return it
}

// idsAtOnce is how many bytes of ids lie in one piece, for the same reason.
const idsAtOnce = 1 << 10

// keepID gives a copy of an id that lies beside those before it.
func (q *Queue) keepID(id string) string {
	if q.ids.Cap()-q.ids.Len() < len(id) {
		q.ids = strings.Builder{}
		q.ids.Grow(max(idsAtOnce, len(id)))
	}
	from := q.ids.Len()
	q.ids.WriteString(id)
	return q.ids.String()[from:]
}

// whereabouts say in which heap an item lies.
type whereabouts uint8

const (
	inGroup whereabouts = iota
	inLater             // until its notBefore
	inJob               // while as many machines as may be render its job
)

// noTime stands for the zero time.
const noTime = math.MinInt64

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return farm.UnixNano(t)
}

func timeAt(nanoseconds int64) time.Time {
	if nanoseconds == noTime {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}

// urgency orders the tasks of one team and level; the least is the most urgent.
func (it *item) urgency() int64 {
	at := it.created
	if at == noTime {
		at = 0
	}
	at -= int64(it.priority) * int64(PointOfPriority)
	if it.sample {
		at -= int64(sampleAhead)
	}
	return at
}

// beforeByID orders items of equal urgency: jobs as they came, tasks by their number.
func (it *item) beforeByID(other *item) bool {
	return cmp.Or(
		strings.Compare(it.jobID(), other.jobID()),
		cmp.Compare(len(it.id), len(other.id)),
		strings.Compare(it.id, other.id)) < 0
}

func (it *item) jobID() string { return it.id[:it.job] }

// waits is since when the item could have been granted.
func (it *item) waits() int64 { return max(it.created, it.notBefore) }

func (it *item) task() Task {
	c := it.group.class
	return Task{
		ID: it.id, Job: it.jobID(), Team: it.group.lane.team.id, Attempt: int(it.attempt), Level: it.group.lane.level.name(),
		Priority: int(it.priority), Created: timeAt(it.created), NotBefore: timeAt(it.notBefore), Sample: it.sample, Whole: it.whole,
		Need: c.need, Avoid: c.avoid, Barred: c.barred, MaxMachines: int(it.maxMachines), Work: it.work.Work,
	}
}

// level is the rank of a farm.Level, the most urgent first.
type level uint8

const (
	rush level = iota
	normal
	overnight
	levels = 3
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
	return [levels]farm.Level{farm.LevelRush, farm.LevelNormal, farm.LevelOvernight}[l]
}
