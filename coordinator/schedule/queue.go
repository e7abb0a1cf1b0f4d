package schedule

import (
	"strings"
	"time"

	"overcrank/farm"
)

// Queue holds the ready tasks and assigns them to machines with free slots. DESIGN.md gives the rules, and says why a decision costs the
// same however many tasks wait.
type Queue struct {
	policy farm.Policy
	speed  func(work, machine string) float64

	items map[string]*item // by task
	fresh []item           // allocated together and not used yet
	ids   strings.Builder  // ids of items, the newest at its end
	later heap             // waiting for their NotBefore, ordered by it

	classes      map[string]*class
	byIndex      []*class // nil where a number is unused
	classNumbers numbers
	idle         []*class // without tasks, the longest idle first
	key          []byte   // buffer for a class's key

	teams    map[string]*team
	teamList []*team // by id
	line     line
	claim    *group // has precedence over everything; nil for none
	claimed  int64  // when it began, or the last one ended; 0 before the first
	rounds   uint64
	latest   int64 // the latest time that the queue was given
	scratch  round // reused by each round
	taken    set   // reused for what one machine can take

	limits    map[string]*limit
	limitList []*limit // by name

	machines       map[string]*machine
	profiles       map[[32]byte]*profile // that connected machines have
	profileAt      []*profile            // the same by number, nil where one is free
	profileNumbers numbers
	free           []*machine // with a free slot
	roomyPlain     set        // profiles with machines in free, without After Effects
	roomyAdobe     set        // the same, with After Effects
	slots          int        // of all machines that can get work

	names map[string]uint32 // of fonts and effects
	owned []int32           // how many enrolled machines have each name
	asked []int32           // how many classes require each name
	adobe int               // enrolled machines with After Effects
	files map[string]*file
	works map[Work]*work

	secretTags map[string][]string // see SetSecretTags
	held       map[Held]farm.Text  // see SetHeld

	holdings map[string]*holding // by task
	jobs     map[string]*job     // with running tasks
	parked   []*job              // of these, with parked tasks
	running  [levels]int         // tasks
	epoch    int64
	pace     pace
}

// NewQueue returns an empty queue.
func NewQueue() *Queue {
	return &Queue{
		speed:    func(string, string) float64 { return 0 },
		items:    map[string]*item{},
		classes:  map[string]*class{},
		teams:    map[string]*team{},
		limits:   map[string]*limit{},
		machines: map[string]*machine{},
		profiles: map[[32]byte]*profile{},
		names:    map[string]uint32{},
		files:    map[string]*file{},
		works:    map[Work]*work{},
		holdings: map[string]*holding{},
		jobs:     map[string]*job{},
	}
}

// SetSpeed sets the function that tells how many seconds a frame of some work takes on a machine; 0 when unknown.
func (q *Queue) SetSpeed(of func(work, machine string) float64) { q.speed = of }

// Len is how many tasks wait, including those with a later NotBefore.
func (q *Queue) Len() int { return len(q.items) }

// Add queues a task. It replaces the task with the same id, unless that one has a later attempt.
func (q *Queue) Add(t Task, now time.Time) {
	q.latest = max(q.latest, now.UnixNano())
	if h := q.holdings[t.ID]; h != nil && h.attempt >= t.Attempt {
		return // this attempt has been assigned
	}
	if old := q.items[t.ID]; old != nil {
		if int(old.attempt) > t.Attempt {
			return
		}
		q.Remove(t.ID)
	}
	c := q.classOf(t)
	g := q.groupOf(&q.teamOf(t.Team).lanes[levelOf(t.Level)], c)
	it := q.newItem()
	*it = item{
		id: q.keepID(t.ID), job: uint8(len(t.Job)), group: g, work: q.workOf(t.Work), created: nanoseconds(t.Created), notBefore: nanoseconds(t.NotBefore),
		attempt: int32(t.Attempt), priority: int16(t.Priority), maxMachines: machinesOf(t), sample: t.Sample, whole: t.Whole,
	}
	c.tasks++
	g.tasks++
	q.items[it.id] = it
	if t.NotBefore.After(now) {
		it.at = inLater
		q.later.push(entry{it.notBefore, it})
		return
	}
	q.toGroup(it, now.UnixNano())
}

// toGroup makes an item ready for a machine.
func (q *Queue) toGroup(it *item, now int64) {
	g := it.group
	it.at = inGroup
	g.ready.push(entry{it.urgency(), it})
	if g.held {
		return
	}
	g.lane.ready++
	g.lane.rank(g)
	if len(g.ready) == 1 {
		q.line.append(g, now)
	}
}

// fromGroup takes an item out of its group's heap.
func (q *Queue) fromGroup(it *item) {
	g := it.group
	g.ready.remove(int(it.place))
	if g.held {
		return
	}
	g.lane.ready--
	g.lane.rank(g)
	if len(g.ready) == 0 {
		q.line.remove(g)
	}
}

// Remove removes a task from the queue, if it is there.
func (q *Queue) Remove(id string) {
	it := q.items[id]
	if it == nil {
		return
	}
	switch it.at {
	case inLater:
		q.later.remove(int(it.place))
	case inJob:
		j := q.jobs[it.jobID()]
		if j.parked.remove(int(it.place)); len(j.parked) == 0 {
			q.notParked(j)
		}
	default:
		q.fromGroup(it)
	}
	q.dropItem(it)
}

// dropItem forgets an item that is in no heap any more.
func (q *Queue) dropItem(it *item) {
	delete(q.items, it.id)
	q.drop(it.work)
	g := it.group
	if g.tasks--; g.tasks == 0 {
		if q.claim == g {
			q.claim = nil
		}
		g.lane.dropGroup(g)
	}
	if g.class.tasks--; g.class.tasks == 0 {
		q.leaveIdle(g.class)
	}
}

// Wake is the earliest NotBefore of the tasks that wait for theirs; zero when there is none.
func (q *Queue) Wake() time.Time {
	if len(q.later) == 0 {
		return time.Time{}
	}
	return timeAt(q.later[0].key)
}

// arrive makes the tasks ready whose NotBefore has come.
func (q *Queue) arrive(now int64) {
	for len(q.later) > 0 && q.later[0].key <= now {
		q.toGroup(q.later.remove(0).it, now)
	}
}
