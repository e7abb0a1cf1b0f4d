package schedule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/codec"
)

// simulation is a farm on which time passes. Tasks take their set time, and streams of tasks never end.
type simulation struct {
	t       failer
	q       *schedule.Queue
	policy  farm.Policy
	now     time.Time
	takes   map[string]time.Duration // by task
	running []run
	begun   map[string]time.Time // by task
	spent   map[string]float64   // machine seconds, by team
	streams []*stream
	slots   map[string]int
	tags    map[string][]string
	most    map[farm.Level]int // tasks of a level at once
	step    int
}

type failer interface{ Fatalf(string, ...any) }

// stream is an endless supply of tasks of one kind.
type stream struct {
	like    schedule.Task
	takes   []time.Duration // in turn
	waiting int
	made    int
}

func newSimulation(t failer, policy farm.Policy, machines ...schedule.Machine) *simulation {
	s := &simulation{
		t: t, q: schedule.NewQueue(), policy: policy, now: epoch, takes: map[string]time.Duration{}, begun: map[string]time.Time{},
		spent: map[string]float64{}, slots: map[string]int{}, tags: map[string][]string{}, most: map[farm.Level]int{},
	}
	s.q.SetPolicy(policy)
	come(s.q, machines...)
	all := 0
	for _, m := range machines {
		s.slots[m.ID], s.tags[m.ID] = m.Slots, m.Tags
		all += m.Slots
	}
	for l, p := range policy.Levels {
		if p.MaxShare > 0 {
			s.most[l] = max(1, int(p.MaxShare*float64(all)+1e-9))
		}
	}
	return s
}

func (s *simulation) add(t schedule.Task, takes time.Duration) {
	s.takes[t.ID] = takes
	s.q.Add(t, s.now)
}

// refill gives every stream waiting tasks.
func (s *simulation) refill() {
	for i, st := range s.streams {
		for st.waiting < 3 {
			t := st.like
			t.Job = fmt.Sprintf("s%d-%04d", i, st.made/4) // four tasks make a job
			t.ID = fmt.Sprintf("%s.%d", t.Job, st.made%4+1)
			t.Created = s.now
			s.add(t, st.takes[st.made%len(st.takes)])
			st.made++
			st.waiting++
		}
	}
}

// pass advances the time to the end of the next task.
func (s *simulation) pass() {
	s.refill()
	for _, g := range s.q.Assign(s.now, 1000) {
		s.begin(g)
	}
	if len(s.running) == 0 {
		s.t.Fatalf("nothing runs at %s", s.now)
	}
	next := slices.MinFunc(s.running, func(a, b run) int { return s.end(a).Compare(s.end(b)) })
	s.now = s.end(next)
	s.running = slices.DeleteFunc(s.running, func(r run) bool { return r.Task.ID == next.Task.ID })
	s.spent[next.Task.Team] += s.takes[next.Task.ID].Seconds()
	s.q.Release(next.Task.ID, next.Task.Attempt, s.now)
	s.step++
}

func (s *simulation) end(r run) time.Time { return r.since.Add(s.takes[r.Task.ID]) }

// begin checks a grant against the rules, and starts its task.
func (s *simulation) begin(g schedule.Grant) {
	if _, twice := s.begun[g.Task.ID]; twice {
		s.t.Fatalf("task %s was granted twice", g.Task.ID)
	}
	s.begun[g.Task.ID] = s.now
	s.running = append(s.running, run{g, s.now})
	for i, st := range s.streams {
		var stream, job int
		if n, _ := fmt.Sscanf(g.Task.Job, "s%d-%d", &stream, &job); n == 2 && stream == i {
			st.waiting--
		}
	}
	count := func(common func(r run) bool) (tasks int, on map[string]int) {
		on = map[string]int{}
		for _, r := range s.running {
			if common(r) {
				tasks++
				on[r.Machine]++
			}
		}
		return tasks, on
	}
	if n, _ := count(func(r run) bool { return r.Machine == g.Machine }); n > s.slots[g.Machine] {
		s.t.Fatalf("machine %s has %d tasks in %d slots", g.Machine, n, s.slots[g.Machine])
	}
	for _, tag := range g.Task.Need.AllTags {
		if !slices.Contains(s.tags[g.Machine], tag) {
			s.t.Fatalf("task %s needs %s, which %s lacks", g.Task.ID, tag, g.Machine)
		}
	}
	for _, name := range g.Task.Need.Limits {
		l := s.policy.Limits[name]
		tasks, on := count(func(r run) bool { return slices.Contains(r.Task.Need.Limits, name) })
		if l.ByMachine {
			tasks = len(on)
		}
		if tasks > l.Total || l.PerMachine > 0 && on[g.Machine] > l.PerMachine {
			s.t.Fatalf("limit %s of %+v: %d taken, %d of them on %s", name, l, tasks, on[g.Machine], g.Machine)
		}
	}
	if _, on := count(func(r run) bool { return r.Task.Team == g.Task.Team }); s.policy.Teams[g.Task.Team].MaxMachines > 0 && len(on) > s.policy.Teams[g.Task.Team].MaxMachines {
		s.t.Fatalf("team %s has %d machines", g.Task.Team, len(on))
	}
	most := s.policy.MaxMachinesPerJob
	if own := g.Task.MaxMachines; own > 0 && (most == 0 || own < most) {
		most = own
	}
	if _, on := count(func(r run) bool { return r.Task.Job == g.Task.Job }); most > 0 && len(on) > most {
		s.t.Fatalf("job %s has %d machines of %d", g.Task.Job, len(on), most)
	}
	if n, _ := count(func(r run) bool { return r.Task.Level == g.Task.Level }); s.most[g.Task.Level] > 0 && n > s.most[g.Task.Level] {
		s.t.Fatalf("level %s has %d slots of %d", g.Task.Level, n, s.most[g.Task.Level])
	}
}

func drawFarm(t *rapid.T) (farm.Policy, []schedule.Machine) {
	policy := drawPolicy(t)
	policy.Paused = false
	for l, p := range policy.Levels {
		p.Paused, p.Hours = false, nil
		policy.Levels[l] = p
	}
	var machines []schedule.Machine
	for i := range rapid.IntRange(1, 5).Draw(t, "machines") {
		m := machine(fmt.Sprint("m", i), rapid.IntRange(1, 2).Draw(t, "slots"))
		m.Tags = someTags.Draw(t, "tags")
		machines = append(machines, m)
	}
	return policy, machines
}

func drawKind(t *rapid.T) schedule.Task {
	return schedule.Task{
		Team: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "team"), Attempt: 1,
		Level:       rapid.SampledFrom([]farm.Level{farm.LevelRush, farm.LevelNormal, farm.LevelOvernight}).Draw(t, "level"),
		Priority:    rapid.IntRange(-2, 2).Draw(t, "priority"),
		MaxMachines: rapid.IntRange(0, 2).Draw(t, "machines of the job"),
		Need: schedule.Need{
			AllTags: someTags.Draw(t, "tags"),
			Limits:  rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"p", "q"}), 0, 2, rapid.ID[string]).Draw(t, "limits"),
		},
	}
}

// runnable reports whether some machine can run a task when nothing else runs.
func runnable(t schedule.Task, policy farm.Policy, machines []schedule.Machine) bool {
	for _, name := range t.Need.Limits {
		if policy.Limits[name].Total < 1 {
			return false
		}
	}
	return slices.ContainsFunc(machines, func(m schedule.Machine) bool {
		return !slices.ContainsFunc(t.Need.AllTags, func(tag string) bool { return !slices.Contains(m.Tags, tag) })
	})
}

// TestNothingStarves: whatever streams never end, and whatever is limited, a task that some machine can run is run, at the latest once
// every group of tasks has made a claim.
func TestNothingStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy, machines := drawFarm(t)
		s := newSimulation(t, policy, machines...)
		longest := time.Duration(0)
		s.streams = append(s.streams, &stream{like: schedule.Task{Team: "a", Attempt: 1, Level: farm.LevelRush}, takes: []time.Duration{time.Minute}})
		for range rapid.IntRange(1, 5).Draw(t, "streams") {
			st := &stream{like: drawKind(t)}
			for range rapid.IntRange(1, 3).Draw(t, "durations") {
				st.takes = append(st.takes, time.Duration(rapid.IntRange(60, 900).Draw(t, "seconds"))*time.Second)
				longest = max(longest, slices.Max(st.takes))
			}
			if runnable(st.like, policy, machines) {
				s.streams = append(s.streams, st)
			}
		}
		var victims []string
		for i := range rapid.IntRange(1, 4).Draw(t, "victims") {
			v := drawKind(t)
			v.Job, v.Created = fmt.Sprint("victim", i), epoch
			v.ID = v.Job + ".1"
			if runnable(v, policy, machines) {
				s.add(v, time.Minute)
				victims = append(victims, v.ID)
			}
		}
		groups := time.Duration(len(s.streams) + len(victims))
		deadline := epoch.Add(schedule.Patience + groups*(schedule.ClaimsEvery+4*longest) + groups*4*schedule.PointOfPriority)
		waiting := func(id string) bool { _, begun := s.begun[id]; return !begun }
		for slices.ContainsFunc(victims, waiting) {
			if s.pass(); s.now.After(deadline) {
				t.Fatalf("%v still wait at %s", slices.DeleteFunc(victims, func(id string) bool { return !waiting(id) }), s.now)
			}
		}
	})
}

func TestTeamsGetTheirSharesByWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := farm.Policy{Teams: map[string]farm.TeamPolicy{}}
		var machines []schedule.Machine
		for i := range rapid.IntRange(4, 8).Draw(t, "machines") {
			machines = append(machines, machine(fmt.Sprint("m", i), 1))
		}
		teams := []string{"a", "b", "c"}[:rapid.IntRange(2, 3).Draw(t, "teams")]
		weights := 0.0
		for _, team := range teams {
			w := rapid.SampledFrom([]float64{0.5, 1, 1, 2, 3}).Draw(t, "weight")
			policy.Teams[team] = farm.TeamPolicy{Weight: w}
			weights += w
		}
		s := newSimulation(t, policy, machines...)
		for _, team := range teams {
			st := &stream{like: schedule.Task{Team: team, Attempt: 1, Level: farm.LevelNormal}}
			for range rapid.IntRange(1, 4).Draw(t, "durations") {
				st.takes = append(st.takes, time.Duration(rapid.IntRange(60, 480).Draw(t, "seconds"))*time.Second)
			}
			s.streams = append(s.streams, st)
		}
		for s.now.Sub(epoch) < 16*time.Hour {
			s.pass()
		}
		all := 0.0
		for _, spent := range s.spent {
			all += spent
		}
		for _, team := range teams {
			want := policy.Teams[team].Weight / weights
			if got := s.spent[team] / all; math.Abs(got-want) > 0.1*want {
				t.Fatalf("team %s of weight %g had %.3f of the machines' time, want %.3f", team, policy.Teams[team].Weight, got, want)
			}
		}
	})
}

// TestStreamOfRushGetsTheFarm: claims are exceptions, so nearly every machine goes to the more urgent level.
func TestStreamOfRushGetsTheFarm(t *testing.T) {
	s := newSimulation(t, farm.Policy{}, machine("m0", 1), machine("m1", 1))
	for _, l := range []farm.Level{farm.LevelRush, farm.LevelOvernight} {
		s.streams = append(s.streams, &stream{like: schedule.Task{Team: string(l), Attempt: 1, Level: l}, takes: []time.Duration{30 * time.Second}})
	}
	for s.now.Sub(epoch) < 10*time.Hour {
		s.pass()
	}
	if rush, rest := s.spent["rush"], s.spent["overnight"]; rest == 0 || rest > 0.1*rush {
		t.Errorf("rush had %.0f s of the machines, overnight %.0f s", rush, rest)
	}
}

func TestLevelOutsideItsHoursGetsIdleMachines(t *testing.T) {
	policy := farm.Policy{Levels: map[farm.Level]farm.LevelPolicy{farm.LevelRush: {Hours: []farm.Hours{{From: 20 * 60, To: 21 * 60}}}}}
	q := schedule.NewQueue()
	q.SetPolicy(policy)
	come(q, machine("m", 1))
	add := func(id string, l farm.Level) { q.Add(task(id, func(t *schedule.Task) { t.Level = l }), epoch) }
	add("rush", farm.LevelRush)
	add("overnight", farm.LevelOvernight)
	wantGrants(t, q, epoch, "overnight>m")
	q.Release("overnight.1", 1, epoch)
	wantGrants(t, q, epoch, "rush>m")
	q.Release("rush.1", 1, epoch)
	add("rush", farm.LevelRush)
	add("overnight", farm.LevelOvernight)
	wantGrants(t, q, time.Date(2026, 1, 2, 20, 30, 0, 0, time.UTC), "rush>m")
}

func TestPreferredMachine(t *testing.T) {
	work := schedule.Work{File: "0123456789abcdef", Name: "title/main"}
	plain := func(t *schedule.Task) { t.Work = work }
	for name, tt := range map[string]struct {
		prepare func(q *schedule.Queue)
		need    schedule.Engine
		want    string
	}{
		"rare engines stay free": {func(q *schedule.Queue) { come(q, machine("a", 1, "26.0"), machine("b", 1)) }, "", "b"},
		"even where the file is": {func(q *schedule.Queue) {
			come(q, machine("a", 1, "26.0"), machine("b", 1))
			q.SetCached("a", []string{work.File})
		}, "", "b"},
		"where the file is": {func(q *schedule.Queue) {
			come(q, machine("a", 1), machine("b", 1))
			q.SetCached("b", []string{"ffffffffffffffff", work.File})
		}, "", "b"},
		"where it has just been done": {func(q *schedule.Queue) {
			come(q, machine("a", 1), machine("b", 1))
			q.Hold(task("before", plain), "b", epoch)
			q.Release("before.1", 1, epoch)
		}, "", "b"},
		"where it is quick": {func(q *schedule.Queue) {
			come(q, machine("a", 1), machine("b", 1), machine("c", 1))
			q.SetSpeed(func(work, machine string) float64 { return map[string]float64{"a": 3, "b": 1}[machine] })
		}, "", "b"},
		"with fewer engines":    {func(q *schedule.Queue) { come(q, machine("a", 1, "25.0", "26.0"), machine("b", 1, "26.0")) }, "ae2026", "b"},
		"with more free slots":  {func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 3)) }, "", "b"},
		"the first of the same": {func(q *schedule.Queue) { come(q, machine("b", 1), machine("a", 1)) }, "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			q := schedule.NewQueue()
			tt.prepare(q)
			q.Add(task("t", plain, func(t *schedule.Task) { t.Need.Engine = tt.need }), epoch)
			wantGrants(t, q, epoch, "t>"+tt.want)
		})
	}
}

func TestLineIsInOrderOfGrants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := schedule.NewQueue()
		q.SetPolicy(farm.Policy{Teams: map[string]farm.TeamPolicy{"a": {Weight: 2}}})
		for i := range rapid.IntRange(1, 60).Draw(t, "tasks") {
			k := drawKind(t)
			k.Job, k.Created, k.MaxMachines = fmt.Sprintf("j%03d", i), epoch.Add(time.Duration(i)*time.Second), 0
			k.ID = k.Job + ".1"
			q.Add(k, epoch)
		}
		var line, granted []string
		page := rapid.IntRange(1, 20).Draw(t, "page")
		for after, more := 0, true; more; after += page {
			var listed []schedule.Listed
			listed, more = q.Line(epoch, after, page)
			for _, l := range listed {
				line = append(line, l.Task.ID)
				if p := q.Explain(l.Task, epoch); p.Place != l.Place || p.PlaceAtLeast {
					t.Fatalf("task %s stands at %d, and is explained at %+v", l.Task.ID, l.Place, p)
				}
			}
		}
		m := machine("m", 100)
		m.Tags = []string{"x", "y"}
		come(q, m)
		for _, g := range q.Assign(epoch, 100) {
			granted = append(granted, g.Task.ID)
		}
		if !slices.Equal(line, granted) {
			t.Fatalf("the line was %v, and granted was %v", line, granted)
		}
	})
}

func TestFarPlaceIsALowerBound(t *testing.T) {
	q := schedule.NewQueue()
	for i := range 3000 {
		q.Add(task(fmt.Sprintf("j%05d", i), func(t *schedule.Task) {
			if i < 2000 {
				t.Level = farm.LevelRush
			}
		}), epoch)
	}
	if p := q.Explain(task("j02999"), epoch); p.Place != 2001 || !p.PlaceAtLeast {
		t.Errorf("explained as %+v", p)
	}
	listed, more := q.Line(epoch, 2990, 100)
	if len(listed) != 10 || more || listed[9].Place != 3000 {
		t.Errorf("the last page has %d tasks, more: %v", len(listed), more)
	}
}

func TestExplain(t *testing.T) {
	until := time.Date(2026, 1, 2, 18, 0, 0, 0, time.UTC)
	limits := farm.Policy{Limits: map[string]farm.LimitPolicy{"particular": {Total: 1}}}
	var none farm.Policy
	for name, tt := range map[string]struct {
		policy  farm.Policy
		prepare func(q *schedule.Queue)
		edit    func(*schedule.Task)
		want    string
	}{
		"paused": {farm.Policy{Paused: true}, nil, nil, "The farm is paused: no new task starts until an operator resumes it."},
		"level paused": {farm.Policy{Levels: map[farm.Level]farm.LevelPolicy{farm.LevelNormal: {Paused: true}}}, nil, nil,
			"The level normal is paused: none of its tasks starts until an operator resumes it."},
		"nobody": {none, nil, nil, "No machine is online: start an agent."},
		"one thing missing": {none, func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 1)) },
			func(t *schedule.Task) { t.Need.AllTags = []string{"gpu"} }, "None of the 2 machines online has the tag 'gpu'. An operator can change a machine's tags, or you submit the job with other tags."},
		"a tag too many": {none, func(q *schedule.Queue) {
			m := machine("a", 1)
			m.Tags = []string{"gpu"}
			come(q, m)
		}, func(t *schedule.Task) { t.Need.NoTags = []string{"gpu"} }, "The only machine online does not have tags without 'gpu'. An operator can change a machine's tags, or you submit the job with other tags."},
		"another machine": {none, func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 1)) }, func(t *schedule.Task) {
			t.Need.OS, t.Need.MinMemory = "darwin", 1_099_500_000_000
		}, "None of the 2 machines online has macOS and 1099.5 GB of memory. It waits for a machine that does."},
		"no encoder": {none, func(q *schedule.Queue) {
			for _, id := range []string{"a", "b"} {
				m := machine(id, 1)
				m.Inventory.Codecs = []string{codec.ProRes422, codec.DefaultStill}
				come(q, m)
			}
		}, func(t *schedule.Task) { t.Need.Writes = codec.H264 }, "No machine can encode H.264: none of the 2 machines online has an encoder for H.264. " +
			"It waits until one has an ffmpeg that can ('overcrank ffmpeg add' gives machines one)."},
		"no After Effects there": {none, func(q *schedule.Queue) { come(q, machine("a", 1)); q.SetMachine(machine("b", 1, "26.0")) },
			func(t *schedule.Task) { t.Need.Engine = "ae2026" }, "The only machine online does not have After Effects 2026 (ae2026). It waits for a machine that does."},
		"nobody signed in": {none, func(q *schedule.Queue) {
			come(q, machine("a", 1), machine("b", 1, "26.0"))
			q.SetLacks("b", farm.AsIs("nobody is signed in"))
		}, func(t *schedule.Task) { t.Need.Engine = "ae2026" }, "Of the 2 machines online, 1 has After Effects but cannot run it now (nobody is signed in). It waits until that changes."},
		"signed in again": {none, func(q *schedule.Queue) {
			come(q, machine("b", 1, "26.0"))
			q.SetLacks("b", farm.AsIs("nobody is signed in"))
			q.SetLacks("b", farm.AsIs(""))
		}, func(t *schedule.Task) { t.Need.Engine = "ae2026" }, "A machine is about to start it."},
		"away": {none, func(q *schedule.Queue) {
			for _, id := range []string{"a", "b", "c"} {
				q.SetMachine(machine(id, 1))
				q.Connect(id, schedule.Out{Why: schedule.OutAway, Reason: farm.AsIs("somebody works at it"), Until: until})
			}
		}, nil, "3 machines that fit are in use by their artists until 18:00 UTC."},
		"away and busy": {none, func(q *schedule.Queue) {
			come(q, machine("a", 1), machine("b", 1))
			q.Connect("b", schedule.Out{Why: schedule.OutAside, Reason: farm.AsIs("it failed 5 times")})
			q.Hold(task("other"), "a", epoch)
		}, nil, "Of the 2 machines that fit, 1 is busy; 1 machine that fits is set aside (it failed 5 times)."},
		"busy":  {none, func(q *schedule.Queue) { come(q, machine("a", 1)); q.Hold(task("other"), "a", epoch) }, nil, "The only machine that fits is busy."},
		"limit": {limits, func(q *schedule.Queue) { come(q, machine("a", 2)); q.Hold(limited("other"), "a", epoch) }, func(t *schedule.Task) { t.Need.Limits = []string{"particular"} }, "The limit 'particular' is reached: its only place is taken."},
		"team":  {farm.Policy{Teams: map[string]farm.TeamPolicy{"ours": {MaxMachines: 1}}}, func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 1)); q.Hold(task("other"), "a", epoch) }, nil, "Your team already uses the one machine that it may use at a time."},
		"job": {farm.Policy{MaxMachinesPerJob: 1}, func(q *schedule.Queue) {
			come(q, machine("a", 1), machine("b", 1))
			q.Hold(task("t", func(t *schedule.Task) { t.ID = "t.2" }), "a", epoch)
		}, nil, "The job already has as many machines as may work on it at once (1)."},
		"level full": {farm.Policy{Levels: map[farm.Level]farm.LevelPolicy{farm.LevelNormal: {MaxShare: 0.5}}}, func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 1)); q.Hold(task("other"), "a", epoch) }, nil, "The level normal already uses its share of the farm (50 % of 2 slots)."},
		"failed":     {none, func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 1)); q.Hold(task("other"), "b", epoch) }, func(t *schedule.Task) { t.Avoid = []string{"a"} }, "Only machines that failed it before are free. It waits up to 5 minutes for another one."},
		"soon":       {none, func(q *schedule.Queue) { come(q, machine("a", 1)) }, nil, "A machine is about to start it."},
		"all that fit failed": {none, func(q *schedule.Queue) {
			tagged := machine("a", 1)
			tagged.Tags = []string{"gpu"}
			come(q, tagged, machine("b", 1))
		}, func(t *schedule.Task) { t.Need.AllTags, t.Barred = []string{"gpu"}, []string{"a"} }, "The only machine that fits failed the task for good. It waits for another machine."},
		"all failed": {none, func(q *schedule.Queue) { come(q, machine("a", 1), machine("b", 1)) },
			func(t *schedule.Task) { t.Barred = []string{"a", "b"} }, "All 2 machines that fit failed the task for good. It waits for another machine."},
		"later": {none, nil, func(t *schedule.Task) { t.NotBefore = until }, "It does not start before 18:00 UTC."},
	} {
		t.Run(name, func(t *testing.T) {
			q := schedule.NewQueue()
			q.SetPolicy(tt.policy)
			if tt.prepare != nil {
				tt.prepare(q)
			}
			waits := task("t")
			if tt.edit != nil {
				tt.edit(&waits)
			}
			q.Add(waits, epoch)
			if got := q.Explain(waits, epoch).Why.String(); got != tt.want {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
}

func limited(id string) schedule.Task {
	return task(id, func(t *schedule.Task) { t.Need.Limits = []string{"particular"} })
}

// A machine whose After Effects cannot run now gets other work, and After Effects' own again when it can; the inventory that it tells in
// between does not change that.
func TestAMachineWhoseAfterEffectsCannotRunGetsOtherWork(t *testing.T) {
	q := schedule.NewQueue()
	come(q, machine("a", 1, "26.0"))
	q.SetLacks("a", farm.AsIs("nobody is signed in"))
	q.SetMachine(machine("a", 1, "26.0"))
	own := task("own", func(t *schedule.Task) { t.Need.Engine = schedule.EngineEmbedded })
	adobe := task("adobe", func(t *schedule.Task) { t.Need.Engine = schedule.EngineAfterEffects })
	q.Add(adobe, epoch)
	q.Add(own, epoch)
	got := q.Assign(epoch, 10)
	if len(got) != 1 || got[0].Task.ID != "own.1" {
		t.Fatalf("with nobody signed in it is given %v", got)
	}
	q.Release("own.1", got[0].Task.Attempt, epoch)
	q.SetLacks("a", farm.AsIs(""))
	if got = q.Assign(epoch, 10); len(got) != 1 || got[0].Task.ID != "adobe.1" {
		t.Fatalf("with somebody signed in it is given %v", got)
	}
}
