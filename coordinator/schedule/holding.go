package schedule

import (
	"math"
	"slices"
	"time"
)

// holding is a task that a machine is working on.
type holding struct {
	task    string
	attempt int
	machine *machine
	team    *team
	level   level
	job     *job
	need    Need
	limits  []*limit
	work    *work
	since   int64
	place   int // index in the machine's running
}

// job is a job that machines are working on.
type job struct {
	id       string
	machines map[*machine]int // how many of its tasks each has
	parked   heap             // tasks that wait until fewer machines work on it
}

// admits reports whether a machine may work on the job when at most limit machines may; 0 for any number.
func (j *job) admits(m *machine, limit int) bool {
	return j == nil || limit <= 0 || len(j.machines) < limit || j.machines[m] > 0
}

// machinesOf is a task's MaxMachines, clamped to 16 bits.
func machinesOf(t Task) uint16 { return uint16(min(max(t.MaxMachines, 0), math.MaxUint16)) }

// maxMachines is how many machines may work on an item's job at once; 0 for any number.
func (q *Queue) maxMachines(it *item) int {
	own, farm := int(it.maxMachines), q.policy.MaxMachinesPerJob
	if own <= 0 || farm > 0 && farm < own {
		return farm
	}
	return own
}

// Hold records that a machine has had a task since a time: Assign does so for its grants, a new leader for earlier ones. It removes the
// task from the queue.
func (q *Queue) Hold(t Task, machineID string, since time.Time) {
	q.Remove(t.ID)
	if h := q.holdings[t.ID]; h != nil {
		if h.attempt >= t.Attempt {
			return
		}
		q.unhold(h)
	}
	m := q.machines[machineID]
	if m == nil {
		m = &machine{id: machineID, profile: &profile{}}
		q.machines[machineID] = m
	}
	q.hold(&holding{
		task: t.ID, attempt: t.Attempt, machine: m, team: q.teamOf(t.Team), level: levelOf(t.Level), need: t.Need,
		limits: q.limitsOf(t.Need), work: q.workOf(t.Work), since: since.UnixNano(),
	}, t.Job)
}

func (q *Queue) hold(h *holding, jobID string) {
	h.job = q.jobs[jobID]
	if h.job == nil {
		h.job = &job{id: jobID, machines: map[*machine]int{}}
		q.jobs[jobID] = h.job
	}
	q.holdings[h.task] = h
	m := h.machine
	h.place = len(m.running)
	m.running = append(m.running, h)
	h.job.machines[m]++
	h.team.machines[m]++
	h.team.running++
	h.team.began += q.seconds(h.since)
	q.running[h.level]++
	for _, l := range h.limits {
		l.take(m)
	}
	q.remember(m, h.work)
	q.settle(m)
}

// Release frees the slot of a task, unless a later attempt holds it, and charges the time to the task's team. It reports whether the task
// held a slot.
func (q *Queue) Release(task string, attempt int, now time.Time) bool {
	h := q.holdings[task]
	if h == nil || h.attempt > attempt {
		return false
	}
	at := now.UnixNano()
	q.latest = max(q.latest, at)
	took := max(float64(at-h.since)/float64(time.Second), 0)
	q.pace.ended(took, at)
	h.team.pace.ended(took, at)
	h.team.charge(took, at)
	q.unhold(h)
	return true
}

// unhold undoes hold.
func (q *Queue) unhold(h *holding) {
	delete(q.holdings, h.task)
	m := h.machine
	last := len(m.running) - 1
	m.running[h.place] = m.running[last]
	m.running[h.place].place = h.place
	m.running[last] = nil
	m.running = m.running[:last]
	if h.job.machines[m]--; h.job.machines[m] == 0 {
		delete(h.job.machines, m)
	}
	if h.team.machines[m]--; h.team.machines[m] == 0 {
		delete(h.team.machines, m)
	}
	if h.team.running--; h.team.running == 0 {
		h.team.began = 0 // also resets rounding errors
	} else {
		h.team.began -= q.seconds(h.since)
	}
	q.running[h.level]--
	for _, l := range h.limits {
		l.give(m)
	}
	q.drop(h.work)
	if len(h.job.machines) == 0 {
		q.unpark(h.job, len(h.job.parked))
		delete(q.jobs, h.job.id)
	} else {
		q.unpark(h.job, unparkedAtOnce)
	}
	q.settle(m)
}

const (
	// parkedSeen is how many jobs with parked tasks are checked in each round.
	parkedSeen = 16
	// unparkedAtOnce is how many tasks of a job are unparked when one could begin: the first may still find no machine.
	unparkedAtOnce = 8
)

// lookAtParked unparks tasks of jobs of whose machines one has a free slot: it was busy, or out of a limit, when they were parked.
func (q *Queue) lookAtParked() {
	for range min(len(q.parked), parkedSeen) {
		j := q.parked[0]
		copy(q.parked, q.parked[1:])
		q.parked[len(q.parked)-1] = j
		for m := range j.machines {
			if m.free > 0 {
				q.unpark(j, unparkedAtOnce)
				break
			}
		}
	}
}

// park sets an item aside until fewer machines work on its job.
func (q *Queue) park(it *item, j *job) {
	q.fromGroup(it)
	it.at = inJob
	if len(j.parked) == 0 {
		q.parked = append(q.parked, j)
	}
	j.parked.push(entry{it.urgency(), it})
}

// unpark makes the n most urgent parked tasks of a job ready again.
func (q *Queue) unpark(j *job, n int) {
	for ; n > 0 && len(j.parked) > 0; n-- {
		it := j.parked.remove(0).it
		q.toGroup(it, q.latest)
		if len(j.parked) == 0 {
			q.notParked(j)
		}
	}
}

func (q *Queue) notParked(j *job) {
	q.parked = slices.DeleteFunc(q.parked, func(o *job) bool { return o == j })
}
