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

type item struct {
	task  Task
	class *class
	in    *heapOf
	index int // in its heap
}

// class is the tasks that need the same.
type class struct {
	key     string
	engine  Engine
	tags    []string
	avoid   []string
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
		later:    heapOf{less: func(a, b *item) bool { return a.task.NotBefore.Before(b.task.NotBefore) }},
		machines: map[string]*machine{},
		free:     map[string]*machine{},
	}
}

// Len is how many tasks wait, those with a later NotBefore included.
func (q *Queue) Len() int { return len(q.items) }

// Add puts a task into the queue; one that is there under the same id is replaced, unless its attempt is the later one.
func (q *Queue) Add(t Task, now time.Time) {
	if old := q.items[t.ID]; old != nil {
		if old.task.Attempt > t.Attempt {
			return
		}
		q.Remove(t.ID)
	}
	it := &item{task: t}
	q.items[t.ID] = it
	if t.NotBefore.After(now) {
		q.later.push(it)
		return
	}
	q.enqueue(it)
}

func (q *Queue) enqueue(it *item) {
	key := classKey(it.task)
	c := q.classes[key]
	if c == nil {
		c = &class{key: key, engine: it.task.Engine, tags: it.task.Tags, avoid: it.task.Avoid, version: -1, ready: heapOf{less: before}}
		q.classes[key] = c
	}
	it.class = c
	c.ready.push(it)
}

// Remove takes a task out of the queue, if it is there.
func (q *Queue) Remove(id string) {
	it := q.items[id]
	if it == nil {
		return
	}
	delete(q.items, id)
	heap.Remove(it.in, it.index)
	q.drop(it.class)
}

// drop forgets a class without tasks.
func (q *Queue) drop(c *class) {
	if c != nil && c.ready.Len() == 0 {
		delete(q.classes, c.key)
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
	return q.later.items[0].task.NotBefore
}

// Assign gives at most limit tasks to free machines, the most urgent first. Granted tasks leave the queue and take a slot.
func (q *Queue) Assign(now time.Time, limit int) []Grant {
	for q.later.Len() > 0 && !q.later.items[0].task.NotBefore.After(now) {
		q.enqueue(heap.Pop(&q.later).(*item))
	}
	var grants []Grant
	for len(grants) < limit && len(q.free) > 0 {
		it, m := q.best()
		if it == nil {
			break
		}
		heap.Pop(&it.class.ready)
		delete(q.items, it.task.ID)
		q.drop(it.class)
		q.setFree(m.ID, m.free-1)
		grants = append(grants, Grant{Task: it.task, Machine: m.ID})
	}
	return grants
}

// best is the most urgent task that a free machine fits, with that machine.
func (q *Queue) best() (*item, *machine) {
	var best *item
	var on *machine
	for _, c := range q.classes {
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
}

// Standing counts the machines for a need.
func (q *Queue) Standing(engine Engine, tags []string) Standing {
	s := Standing{Online: len(q.machines)}
	for _, m := range q.machines {
		if m.Fits(engine, tags) {
			s.Fitting++
			if m.free > 0 {
				s.Free++
			}
		}
	}
	return s
}

func before(a, b *item) bool {
	return cmp.Or(
		cmp.Compare(rank(a.task.Level), rank(b.task.Level)),
		cmp.Compare(b.task.Priority, a.task.Priority),
		a.task.Created.Compare(b.task.Created),
		cmp.Compare(a.task.ID, b.task.ID)) < 0
}

func rank(l farm.Level) int {
	switch l {
	case farm.LevelRush:
		return 0
	case farm.LevelOvernight:
		return 2
	default:
		return 1
	}
}

func classKey(t Task) string {
	list := func(s []string) string {
		s = slices.Clone(s)
		slices.Sort(s)
		return strings.Join(s, "\x00")
	}
	return string(t.Engine) + "\x01" + list(t.Tags) + "\x01" + list(t.Avoid)
}

// heapOf is a heap whose items know where they lie.
type heapOf struct {
	items []*item
	less  func(a, b *item) bool
}

func (h *heapOf) push(it *item) {
	it.in = h
	heap.Push(h, it)
}

// Len implements heap.Interface.
func (h *heapOf) Len() int { return len(h.items) }

// Less implements heap.Interface.
func (h *heapOf) Less(i, j int) bool { return h.less(h.items[i], h.items[j]) }

// Swap implements heap.Interface.
func (h *heapOf) Swap(i, j int) {
	h.items[i], h.items[j] = h.items[j], h.items[i]
	h.items[i].index, h.items[j].index = i, j
}

// Push implements heap.Interface.
func (h *heapOf) Push(x any) {
	it := x.(*item)
	it.index = len(h.items)
	h.items = append(h.items, it)
}

// Pop implements heap.Interface.
func (h *heapOf) Pop() any {
	last := h.items[len(h.items)-1]
	h.items[len(h.items)-1] = nil
	h.items = h.items[:len(h.items)-1]
	return last
}
