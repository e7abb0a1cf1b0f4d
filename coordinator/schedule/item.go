package schedule

import (
	"cmp"
	"math"
	"strings"
	"time"

	"overcrank/farm"
)

// Task is a ready task, with what the queue needs to know of it.
type Task struct {
	ID        string
	Job       string // its id is a prefix of the task's
	Team      string
	Attempt   int // number of its next lease
	Level     farm.Level
	Priority  int       // -1000..1000
	Created   time.Time // of its job
	NotBefore time.Time
	Sample    bool // a sample, or the last step of a nearly finished job: goes first among its priority
	Whole     bool // renders a whole composition that could be split; the queue only passes it on
	Need      Need
	Avoid     []string // machines that failed it, see AvoidFor
	Barred    []string // machines that must not get it again
	// MaxMachines is how many machines may render its job at once; 0 for as many as the farm allows.
	MaxMachines int
	Work        Work
}

// Work is what machines are remembered for: having its file, being fast at it, having done it last.
type Work struct {
	File string // the first 16 hex digits of the hash of the project's file; "" when there is none
	Name string // key of known speeds, such as template and composition
}

// PointOfPriority is how much waiting one point of priority is worth. Tasks of one team and level are ordered by the time of their job
// less their points, so a higher priority overtakes for a limited time only.
const PointOfPriority = time.Hour

// sampleAhead is less than a point: a sample precedes tasks of its own priority, but not older ones of a higher priority.
const sampleAhead = PointOfPriority - time.Minute

// item is a task in the queue. There may be a million, so it takes 64 bytes: what tasks have in common is in their group, and times are
// Unix nanoseconds.
type item struct {
	id          string
	group       *group
	work        *work
	created     int64
	notBefore   int64 // noTime for none
	attempt     int32
	place       int32 // index in its heap
	maxMachines uint16
	priority    int16
	job         uint8 // length of the job's id, a prefix of id
	at          whereabouts
	sample      bool
	whole       bool
}

// itemsAtOnce is how many items are allocated together: the garbage collector scans one large object faster than many small ones.
const itemsAtOnce = 32

func (q *Queue) newItem() *item {
	if len(q.fresh) == 0 {
		q.fresh = make([]item, itemsAtOnce)
	}
	it := &q.fresh[0]
	q.fresh = q.fresh[1:]
	return it
}

// idsAtOnce is how many bytes of ids are allocated together, for the same reason.
const idsAtOnce = 1 << 10

// keepID copies an id into the current block of ids.
func (q *Queue) keepID(id string) string {
	if q.ids.Cap()-q.ids.Len() < len(id) {
		q.ids = strings.Builder{}
		q.ids.Grow(max(idsAtOnce, len(id)))
	}
	from := q.ids.Len()
	q.ids.WriteString(id)
	return q.ids.String()[from:]
}

// whereabouts says which heap an item is in.
type whereabouts uint8

const (
	inGroup whereabouts = iota
	inLater             // waiting for its notBefore
	inJob               // parked while its job has all the machines it may have
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

// beforeByID orders items of equal urgency: by job, then by task number.
func (it *item) beforeByID(other *item) bool {
	return cmp.Or(
		strings.Compare(it.jobID(), other.jobID()),
		cmp.Compare(len(it.id), len(other.id)),
		strings.Compare(it.id, other.id)) < 0
}

func (it *item) jobID() string { return it.id[:it.job] }

// waits is the earliest time at which the item could have been assigned.
func (it *item) waits() int64 { return max(it.created, it.notBefore) }

func (it *item) task() Task {
	c := it.group.class
	return Task{
		ID: it.id, Job: it.jobID(), Team: it.group.lane.team.id, Attempt: int(it.attempt), Level: it.group.lane.level.name(),
		Priority: int(it.priority), Created: timeAt(it.created), NotBefore: timeAt(it.notBefore), Sample: it.sample, Whole: it.whole,
		Need: c.need, Avoid: c.avoid, Barred: c.barred, MaxMachines: int(it.maxMachines), Work: it.work.Work,
	}
}

// level is the rank of a farm.Level, 0 the most urgent.
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
