package schedule_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
)

// model is a naive queue that examines everything each time. It knows no claims, so it is valid for less than schedule.Patience.
type model struct {
	policy   farm.Policy
	tasks    map[string]schedule.Task
	machines map[string]schedule.Machine
	out      map[string]bool // of the connected ones
	running  map[string]run
	used     map[string]float64 // machine seconds, by team
	usedAt   map[string]time.Time
	ended    map[string][2]float64 // tasks and their seconds, as they count; of all teams under ""
	endedAt  map[string]time.Time
}

type run struct {
	schedule.Grant
	since time.Time
}

func newModel() *model {
	return &model{
		tasks: map[string]schedule.Task{}, machines: map[string]schedule.Machine{}, out: map[string]bool{}, running: map[string]run{},
		used: map[string]float64{}, usedAt: map[string]time.Time{},
		ended: map[string][2]float64{}, endedAt: map[string]time.Time{},
	}
}

// count counts the running tasks that have something in common, and their machines.
func (m *model) count(common func(run) bool) (tasks int, on map[string]int) {
	on = map[string]int{}
	for _, r := range m.running {
		if common(r) {
			tasks++
			on[r.Machine]++
		}
	}
	return tasks, on
}

func (m *model) has(t schedule.Task, id string) bool {
	mach := m.machines[id]
	return !slices.ContainsFunc(t.Need.AllTags, func(tag string) bool { return !slices.Contains(mach.Tags, tag) }) &&
		!slices.ContainsFunc(t.Need.NoTags, func(tag string) bool { return slices.Contains(mach.Tags, tag) })
}

func (m *model) admits(t schedule.Task, id string, now time.Time) bool {
	_, connected := m.out[id]
	busy, _ := m.count(func(r run) bool { return r.Machine == id })
	if !connected || m.out[id] || busy >= m.machines[id].Slots || !m.has(t, id) || slices.Contains(t.Barred, id) {
		return false
	}
	waits := t.Created
	if t.NotBefore.After(waits) {
		waits = t.NotBefore
	}
	if slices.Contains(t.Avoid, id) && now.Sub(waits) < schedule.AvoidFor {
		for other, out := range m.out {
			if !out && m.has(t, other) && !slices.Contains(t.Avoid, other) && !slices.Contains(t.Barred, other) {
				return false
			}
		}
	}
	for name, l := range m.policy.Limits {
		if !slices.Contains(t.Need.Limits, name) {
			continue
		}
		tasks, on := m.count(func(r run) bool { return slices.Contains(r.Task.Need.Limits, name) })
		if l.ByMachine {
			if tasks = len(on); on[id] > 0 {
				tasks = 0
			}
		}
		if tasks >= l.Total && (!l.ByMachine || on[id] == 0) || l.PerMachine > 0 && on[id] >= l.PerMachine {
			return false
		}
	}
	_, on := m.count(func(r run) bool { return r.Task.Team == t.Team })
	if most := m.policy.Teams[t.Team].MaxMachines; most > 0 && len(on) >= most && on[id] == 0 {
		return false
	}
	return m.jobAdmits(t, id)
}

func (m *model) jobAdmits(t schedule.Task, id string) bool {
	most := m.policy.MaxMachinesPerJob
	if t.MaxMachines > 0 && (most == 0 || t.MaxMachines < most) {
		most = t.MaxMachines
	}
	_, on := m.count(func(r run) bool { return r.Task.Job == t.Job })
	return most == 0 || len(on) < most || on[id] > 0
}

func (m *model) share(team string, now time.Time) float64 {
	half := 30.0
	for _, of := range []string{"", team} {
		if e := m.ended[of]; e[1] > 0 {
			half = e[1] / e[0] / 2
		}
	}
	sum := schedule.Decayed(m.used[team], now.Sub(m.usedAt[team])) + half
	for _, r := range m.running {
		if r.Task.Team == team {
			sum += now.Sub(r.since).Seconds() + half
		}
	}
	return sum / cmp.Or(m.policy.Teams[team].Weight, 1)
}

func (m *model) rank(l farm.Level, now time.Time) int {
	rank := slices.Index([]farm.Level{farm.LevelRush, farm.LevelNormal, farm.LevelOvernight}, cmp.Or(l, farm.LevelNormal))
	if !farm.Within(m.policy.Levels[cmp.Or(l, farm.LevelNormal)].Hours, now) {
		rank += 10
	}
	return rank
}

func (m *model) levelServed(l farm.Level) bool {
	l = cmp.Or(l, farm.LevelNormal)
	p := m.policy.Levels[l]
	slots := 0
	for id, out := range m.out {
		if !out {
			slots += m.machines[id].Slots
		}
	}
	n, _ := m.count(func(r run) bool { return cmp.Or(r.Task.Level, farm.LevelNormal) == l })
	return !p.Paused && (p.MaxShare == 0 || p.MaxShare == 1 || n < max(1, int(p.MaxShare*float64(slots)+1e-9)))
}

func urgency(t schedule.Task) time.Duration {
	at := t.Created.Sub(epoch) - time.Duration(t.Priority)*schedule.PointOfPriority
	if t.Sample {
		at -= schedule.PointOfPriority - time.Minute
	}
	return at
}

// best is the most urgent task that some machine may have. Of the tasks of one team, level and need only the first counts, except that
// tasks whose jobs have all their machines are skipped.
func (m *model) best(now time.Time) (schedule.Task, bool) {
	var waiting []schedule.Task
	shares := map[string]float64{}
	for _, t := range m.tasks {
		if !t.NotBefore.After(now) && m.levelServed(t.Level) && !m.policy.Paused {
			waiting = append(waiting, t)
			shares[t.Team] = m.share(t.Team, now)
		}
	}
	slices.SortFunc(waiting, func(a, b schedule.Task) int {
		if d := shares[a.Team] - shares[b.Team]; math.Abs(d) > 1e-6 && m.rank(a.Level, now) == m.rank(b.Level, now) {
			return int(math.Copysign(1, d))
		}
		return cmp.Or(cmp.Compare(m.rank(a.Level, now), m.rank(b.Level, now)), cmp.Compare(a.Team, b.Team),
			cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.ID, b.ID))
	})
	stuck := map[string]bool{}
	for _, t := range waiting {
		group := fmt.Sprint(t.Team, t.Level, t.Need, t.Avoid, t.Barred)
		if stuck[group] {
			continue
		}
		capped := true
		for id := range m.out {
			if m.admits(t, id, now) {
				return t, true
			}
			capped = capped && !m.jobAdmits(t, id)
		}
		_, on := m.count(func(r run) bool { return r.Task.Job == t.Job })
		for id := range on {
			capped = capped || !m.jobAdmits(t, "none") && id != ""
		}
		stuck[group] = !capped
	}
	return schedule.Task{}, false
}

func (m *model) release(id string, now time.Time) {
	r, ok := m.running[id]
	if !ok {
		return
	}
	delete(m.running, id)
	team := r.Task.Team
	m.used[team] = schedule.Decayed(m.used[team], now.Sub(m.usedAt[team])) + now.Sub(r.since).Seconds()
	m.usedAt[team] = now
	for _, of := range []string{"", team} {
		fade := math.Exp2(-float64(now.Sub(m.endedAt[of])) / float64(30*time.Minute))
		m.ended[of] = [2]float64{m.ended[of][0]*fade + 1, m.ended[of][1]*fade + now.Sub(r.since).Seconds()}
		m.endedAt[of] = now
	}
}

func drawPolicy(t *rapid.T) farm.Policy {
	level := func(name string) farm.LevelPolicy {
		p := farm.LevelPolicy{Paused: rapid.IntRange(0, 9).Draw(t, name+" paused") == 0}
		p.MaxShare = rapid.SampledFrom([]float64{0, 0, 0.3, 0.5, 1}).Draw(t, name+" share")
		if rapid.IntRange(0, 3).Draw(t, name+" hours") == 0 {
			p.Hours = []farm.Hours{{From: 19 * 60, To: 7 * 60}}
		}
		return p
	}
	team := rapid.Custom(func(t *rapid.T) farm.TeamPolicy {
		return farm.TeamPolicy{Weight: rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "weight"), MaxMachines: rapid.IntRange(0, 3).Draw(t, "machines")}
	})
	limit := rapid.Custom(func(t *rapid.T) farm.LimitPolicy {
		return farm.LimitPolicy{
			Total: rapid.IntRange(0, 3).Draw(t, "total"), PerMachine: rapid.IntRange(0, 2).Draw(t, "per machine"), ByMachine: rapid.Bool().Draw(t, "by machine"),
		}
	})
	return farm.Policy{
		Paused:            rapid.IntRange(0, 19).Draw(t, "paused") == 0,
		Levels:            map[farm.Level]farm.LevelPolicy{farm.LevelRush: level("rush"), farm.LevelOvernight: level("overnight")},
		Teams:             map[string]farm.TeamPolicy{"a": team.Draw(t, "team a"), "b": team.Draw(t, "team b")},
		Limits:            map[string]farm.LimitPolicy{"p": limit.Draw(t, "limit p"), "q": limit.Draw(t, "limit q")},
		MaxMachinesPerJob: rapid.IntRange(0, 3).Draw(t, "machines per job"),
	}
}

var someTags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y"}), 0, 2, rapid.ID[string])

func drawTask(t *rapid.T, now time.Time) schedule.Task {
	machineIDs := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 2, rapid.ID[string])
	job := rapid.SampledFrom([]string{"j1", "j2", "j3", "j4"}).Draw(t, "job")
	// What tasks of a job have in common follows from its name, as it does from a job.
	n := int(job[1])
	return schedule.Task{
		Job: job, ID: fmt.Sprintf("%s.%d", job, rapid.IntRange(1, 5).Draw(t, "number")), Team: string("ab"[n%2]), Attempt: 1,
		Priority: n % 3, Created: epoch.Add(time.Duration(n) * time.Second), MaxMachines: n % 3, Sample: n%4 == 1,
		Level:     rapid.SampledFrom([]farm.Level{"", farm.LevelRush, farm.LevelNormal, farm.LevelOvernight}).Draw(t, "level"),
		NotBefore: now.Add(time.Duration(rapid.IntRange(-3, 2).Draw(t, "rest")) * time.Second),
		Need: schedule.Need{
			AllTags: someTags.Draw(t, "tags"), NoTags: someTags.Draw(t, "no tags"),
			Limits: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"p", "q"}), 0, 2, rapid.ID[string]).Draw(t, "limits"),
		},
		Avoid: machineIDs.Draw(t, "avoid"), Barred: machineIDs.Draw(t, "barred"),
	}
}

func TestQueueMatchesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, twin, m := schedule.NewQueue(), schedule.NewQueue(), newModel()
		both := func(do func(q *schedule.Queue)) { do(q); do(twin) }
		now := epoch
		machineID := rapid.SampledFrom([]string{"a", "b", "c"})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				task := drawTask(t, now)
				if _, running := m.running[task.ID]; running {
					return
				}
				both(func(q *schedule.Queue) { q.Add(task, now) })
				m.tasks[task.ID] = task
			},
			"remove": func(t *rapid.T) {
				id := drawTask(t, now).ID
				both(func(q *schedule.Queue) { q.Remove(id) })
				delete(m.tasks, id)
			},
			"enrol": func(t *rapid.T) {
				mach := machine(machineID.Draw(t, "machine"), rapid.IntRange(1, 3).Draw(t, "slots"))
				mach.Tags = someTags.Draw(t, "tags")
				both(func(q *schedule.Queue) { q.SetMachine(mach) })
				m.machines[mach.ID] = mach
			},
			"come": func(t *rapid.T) {
				id, out := machineID.Draw(t, "machine"), schedule.Out{}
				if _, enrolled := m.machines[id]; !enrolled {
					return
				}
				if rapid.IntRange(0, 3).Draw(t, "out") == 0 {
					out.Why = schedule.OutAway
				}
				both(func(q *schedule.Queue) { q.Connect(id, out) })
				m.out[id] = out.Why != ""
			},
			"go": func(t *rapid.T) {
				id := machineID.Draw(t, "machine")
				both(func(q *schedule.Queue) { q.Disconnect(id) })
				delete(m.out, id)
			},
			"policy": func(t *rapid.T) {
				m.policy = drawPolicy(t)
				both(func(q *schedule.Queue) { q.SetPolicy(m.policy) })
			},
			"release": func(t *rapid.T) {
				id := drawTask(t, now).ID
				both(func(q *schedule.Queue) { q.Release(id, 1, now) })
				m.release(id, now)
			},
			"assign": func(t *rapid.T) {
				if now = now.Add(time.Duration(rapid.IntRange(0, 200).Draw(t, "pass")) * time.Second); now.Sub(epoch) >= schedule.Patience {
					t.Skip("claims begin")
				}
				for {
					want, some := m.best(now)
					grants, again := q.Assign(now, 1), twin.Assign(now, 1)
					if fmt.Sprint(grants) != fmt.Sprint(again) {
						t.Fatalf("the same inputs gave %v and %v", ids(grants), ids(again))
					}
					if !some {
						if grants != nil {
							t.Fatalf("granted %v where nothing could be: waiting %+v, running %+v", ids(grants), m.tasks, m.running)
						}
						return
					}
					if len(grants) != 1 || grants[0].Task.ID != want.ID {
						t.Fatalf("granted %v, want task %s", ids(grants), want.ID)
					}
					if !m.admits(want, grants[0].Machine, now) {
						t.Fatalf("task %s was granted to %s, which must not have it", want.ID, grants[0].Machine)
					}
					m.running[want.ID] = run{grants[0], now}
					delete(m.tasks, want.ID)
				}
			},
			"": func(t *rapid.T) {
				if q.Len() != len(m.tasks) {
					t.Fatalf("%d tasks in the queue, want %d", q.Len(), len(m.tasks))
				}
			},
		})
	})
}
