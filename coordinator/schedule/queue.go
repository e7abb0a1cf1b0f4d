package schedule

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// Task is a ready task as the queue orders it.
type Task struct {
	ID        string
	Attempt   int // number that its next lease gets
	Level     farm.Level
	Priority  int
	Created   time.Time // of its job
	NotBefore time.Time
	Engine    Engine
	Tags      []string // a machine must have all of them
	Avoid     []string // machines that failed it; one of them gets it only when no other online machine fits
}

// Grant is one decision of the queue.
type Grant struct {
	Task    Task
	Machine string
}

// Queue orders ready tasks by level, priority and age, and matches them to machines with free slots. Tasks that need the
// same lie in one heap, so a decision costs as much with a hundred thousand tasks as with ten, as long as the ways of
// needing are few.
type Queue struct {
	items    map[string]*item
	classes  map[string]*class
	later    heapOf // by NotBefore
	machines map[string]*machine
	free     map[string]*machine // those with a free slot
	version  int                 // of the set of machines
}

// class is the tasks that need the same.
type class struct {
	key     string
	engine  Engine
	tags    []string
	avoid   []string
	tasks   int // those that wait for their time included
	ready   heapOf
	version int             // of the machines when fits was made
	fits    map[string]bool // machines that may have its tasks
}

type machine struct {
	Machine
	free int
}

// NewQueue makes an empty queue.
func NewQueue() *Queue {
	return &Queue{
		items:    map[string]*item{},
		classes:  map[string]*class{},
		later:    heapOf{less: func(a, b *item) bool { return a.notBefore < b.notBefore }},
		machines: map[string]*machine{},
		free:     map[string]*machine{},
	}
}

// Len is how many tasks wait, those with a later NotBefore included.
func (q *Queue) Len() int { return len(q.items) }

// Add puts a task into the queue; one that is there under the same id is replaced, unless its attempt is the later one.
func (q *Queue) Add(t Task, now time.Time) {
	if old := q.items[t.ID]; old != nil {
		if int(old.attempt) > t.Attempt {
			return
		}
		q.Remove(t.ID)
	}
	it := &item{
		id: t.ID, class: q.classOf(t), created: nanoseconds(t.Created), notBefore: nanoseconds(t.NotBefore),
		attempt: int32(t.Attempt), priority: int32(t.Priority), level: levelOf(t.Level), later: t.NotBefore.After(now),
	}
	it.class.tasks++
	q.items[t.ID] = it
	heap.Push(q.heapFor(it), it)
}

// heapFor is the heap that an item lies in.
func (q *Queue) heapFor(it *item) *heapOf {
	if it.later {
		return &q.later
	}
	return &it.class.ready
}

// classOf is the class of a task, made when it is the first of its kind.
func (q *Queue) classOf(t Task) *class {
	key := classKey(t)
	c := q.classes[key]
	if c == nil {
		c = &class{key: key, engine: t.Engine, tags: t.Tags, avoid: t.Avoid, version: -1, ready: heapOf{less: before}}
		q.classes[key] = c
	}
	return c
}

// Remove takes a task out of the queue, if it is there.
func (q *Queue) Remove(id string) {
	it := q.items[id]
	if it == nil {
		return
	}
	heap.Remove(q.heapFor(it), int(it.index))
	q.drop(it)
}

// drop forgets an item that lies in no heap any more, and its class with the last one.
func (q *Queue) drop(it *item) {
	delete(q.items, it.id)
	if it.class.tasks--; it.class.tasks == 0 {
		delete(q.classes, it.class.key)
	}
}

// SetMachine makes a machine known, or renews what is known of it. used is how many of its slots are taken.
func (q *Queue) SetMachine(m Machine, used int) {
	q.machines[m.ID] = &machine{Machine: m}
	q.version++
	q.setFree(m.ID, m.Slots-used)
}

// RemoveMachine forgets a machine that went offline.
func (q *Queue) RemoveMachine(id string) {
	if q.machines[id] != nil {
		delete(q.machines, id)
		delete(q.free, id)
		q.version++
	}
}

// Release gives a slot of a machine back.
func (q *Queue) Release(id string) {
	if m := q.machines[id]; m != nil {
		q.setFree(id, min(m.free+1, m.Slots))
	}
}

func (q *Queue) setFree(id string, n int) {
	m := q.machines[id]
	m.free = n
	if n > 0 {
		q.free[id] = m
	} else {
		delete(q.free, id)
	}
}

// Wake is when the next task that waits for its NotBefore may be had; zero when there is none.
func (q *Queue) Wake() time.Time {
	if q.later.Len() == 0 {
		return time.Time{}
	}
	return timeAt(q.later.items[0].notBefore)
}

// Assign gives at most limit tasks to free machines, the most urgent first. Granted tasks leave the queue and take a slot.
func (q *Queue) Assign(now time.Time, limit int) []Grant {
	for q.later.Len() > 0 && q.later.items[0].notBefore <= now.UnixNano() {
		it := heap.Pop(&q.later).(*item)
		it.later = false
		heap.Push(&it.class.ready, it)
	}
	var grants []Grant
	for len(grants) < limit && len(q.free) > 0 {
		it, m := q.best()
		if it == nil {
			break
		}
		heap.Pop(&it.class.ready)
		q.drop(it)
		q.setFree(m.ID, m.free-1)
		grants = append(grants, Grant{Task: it.task(), Machine: m.ID})
	}
	return grants
}

// best is the most urgent task that a free machine fits, with that machine.
func (q *Queue) best() (*item, *machine) {
	var best *item
	var on *machine
	for _, c := range q.classes {
		if c.ready.Len() == 0 {
			continue
		}
		head := c.ready.items[0]
		if best != nil && !before(head, best) {
			continue
		}
		if m := q.freeFor(c); m != nil {
			best, on = head, m
		}
	}
	return best, on
}

// freeFor picks a free machine for a class: the one with the fewest engines, so that rare ones stay free for what needs
// them, then the one with the most free slots.
func (q *Queue) freeFor(c *class) *machine {
	q.refresh(c)
	var best *machine
	for id, m := range q.free {
		if c.fits[id] && (best == nil || cmp.Or(
			cmp.Compare(len(m.Engines), len(best.Engines)),
			cmp.Compare(best.free, m.free),
			cmp.Compare(m.ID, best.ID)) < 0) {
			best = m
		}
	}
	return best
}

// refresh renews the set of machines that may have a class's tasks, if machines came or went.
func (q *Queue) refresh(c *class) {
	if c.version == q.version {
		return
	}
	c.version = q.version
	c.fits = map[string]bool{}
	avoided := map[string]bool{}
	for id, m := range q.machines {
		switch {
		case !m.Fits(c.engine, c.tags):
		case slices.Contains(c.avoid, id):
			avoided[id] = true
		default:
			c.fits[id] = true
		}
	}
	if len(c.fits) == 0 {
		c.fits = avoided
	}
}

// Standing is how things are for one need.
type Standing struct {
	Online  int // machines that are connected
	Fitting int // of these, how many have what is needed
	Free    int // of these, how many have a free slot
	Failed  int // of the fitting, how many failed the task before
	Untried int // of the free ones, how many did not
}

// Standing counts the machines for a need. avoid are those that failed the task.
func (q *Queue) Standing(engine Engine, tags, avoid []string) Standing {
	s := Standing{Online: len(q.machines)}
	for id, m := range q.machines {
		if !m.Fits(engine, tags) {
			continue
		}
		s.Fitting++
		failed := slices.Contains(avoid, id)
		if failed {
			s.Failed++
		}
		if m.free > 0 {
			s.Free++
			if !failed {
				s.Untried++
			}
		}
	}
	return s
}

func classKey(t Task) string {
	list := func(s []string) string {
		s = slices.Clone(s)
		slices.Sort(s)
		return strings.Join(s, "\x00")
	}
	return string(t.Engine) + "\x01" + list(t.Tags) + "\x01" + list(t.Avoid)
}
