package schedule_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func task(id string, edit ...func(*schedule.Task)) schedule.Task {
	t := schedule.Task{ID: id, Attempt: 1, Created: epoch}
	for _, e := range edit {
		e(&t)
	}
	return t
}

func machine(id string, slots int, engines ...schedule.Engine) schedule.Machine {
	return schedule.Machine{ID: id, Slots: slots, AnyKind: true, Engines: engines}
}

func ids(grants []schedule.Grant) []string {
	var s []string
	for _, g := range grants {
		s = append(s, g.Task.ID+">"+g.Machine)
	}
	return s
}

func TestOrderIsLevelThenPriorityThenAge(t *testing.T) {
	q := schedule.NewQueue()
	q.Add(task("late", func(t *schedule.Task) { t.Created = epoch.Add(time.Second) }), epoch)
	q.Add(task("early"), epoch)
	q.Add(task("important", func(t *schedule.Task) { t.Priority = 5; t.Created = epoch.Add(time.Minute) }), epoch)
	q.Add(task("rush", func(t *schedule.Task) { t.Level = farm.LevelRush; t.Priority = -10 }), epoch)
	q.Add(task("overnight", func(t *schedule.Task) { t.Level = farm.LevelOvernight; t.Priority = 1000 }), epoch)
	q.Add(task("tagged", func(t *schedule.Task) { t.Tags = []string{"gpu"}; t.Priority = 3 }), epoch)
	m := machine("m", 10)
	m.Tags = []string{"gpu"}
	q.SetMachine(m, 0)
	want := []string{"rush>m", "important>m", "tagged>m", "early>m", "late>m", "overnight>m"}
	if got := ids(q.Assign(epoch, 100)); !slices.Equal(got, want) {
		t.Errorf("granted %v, want %v", got, want)
	}
}

func TestTasksGoOnlyToMachinesThatFit(t *testing.T) {
	embedded, ae25, ae26 := machine("embedded", 1), machine("ae25", 1, "ae2025"), machine("ae26", 1, "ae2026")
	ae26.Tags = []string{"gpu", "fast"}
	bare := schedule.Machine{ID: "bare", Slots: 1}
	tests := []struct {
		name   string
		engine schedule.Engine
		tags   []string
		want   []string
	}{
		{"anything", schedule.EngineAny, nil, []string{"ae25", "ae26", "embedded"}},
		{"any After Effects", schedule.EngineAfterEffects, nil, []string{"ae25", "ae26"}},
		{"one release", "ae2026", nil, []string{"ae26"}},
		{"a release nobody has", "ae2024", nil, nil},
		{"tags", schedule.EngineAny, []string{"gpu"}, []string{"ae26"}},
		{"one tag too many", schedule.EngineAny, []string{"gpu", "huge"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, m := range []schedule.Machine{ae25, ae26, embedded, bare} {
				if m.Fits(tt.engine, tt.tags) {
					got = append(got, m.ID)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("fits %v, want %v", got, tt.want)
			}
		})
	}
}

func TestMachinesWithRareEnginesStayFree(t *testing.T) {
	q := schedule.NewQueue()
	q.SetMachine(machine("adobe", 1, "ae2026"), 0)
	q.SetMachine(machine("plain", 1), 0)
	q.Add(task("preview"), epoch)
	if got := ids(q.Assign(epoch, 9)); !slices.Equal(got, []string{"preview>plain"}) {
		t.Errorf("granted %v", got)
	}
}

func TestFailedMachineIsAvoidedUnlessItIsTheOnlyOne(t *testing.T) {
	q := schedule.NewQueue()
	failed := task("t", func(t *schedule.Task) { t.Avoid = []string{"bad"} })
	q.SetMachine(machine("bad", 1), 0)
	q.SetMachine(machine("good", 1), 1)
	q.Add(failed, epoch)
	if got := q.Assign(epoch, 9); got != nil {
		t.Fatalf("granted %v while the other machine is only busy", ids(got))
	}
	if got, want := q.Standing(failed.Engine, nil, failed.Avoid), (schedule.Standing{Online: 2, Fitting: 2, Free: 1, Failed: 1}); got != want {
		t.Errorf("the machines stand %+v, not %+v", got, want)
	}
	q.RemoveMachine("good")
	if got := ids(q.Assign(epoch, 9)); !slices.Equal(got, []string{"t>bad"}) {
		t.Errorf("granted %v once no other machine is online", got)
	}
}

func TestTasksRestUntilNotBefore(t *testing.T) {
	q := schedule.NewQueue()
	q.SetMachine(machine("m", 5), 0)
	at := epoch.Add(time.Minute)
	q.Add(task("t", func(t *schedule.Task) { t.NotBefore = at }), epoch)
	if got := q.Assign(at.Add(-time.Nanosecond), 9); got != nil {
		t.Fatalf("granted %v too early", ids(got))
	}
	if got := q.Wake(); !got.Equal(at) {
		t.Errorf("wakes at %v, want %v", got, at)
	}
	if got := ids(q.Assign(at, 9)); !slices.Equal(got, []string{"t>m"}) {
		t.Errorf("granted %v at its time", got)
	}
}

func TestAnOlderPictureDoesNotReplaceANewerOne(t *testing.T) {
	q := schedule.NewQueue()
	q.Add(task("t", func(t *schedule.Task) { t.Attempt = 3 }), epoch)
	q.Add(task("t", func(t *schedule.Task) { t.Attempt = 2 }), epoch)
	q.SetMachine(machine("m", 5), 0)
	grants := q.Assign(epoch, 9)
	if len(grants) != 1 || grants[0].Task.Attempt != 3 {
		t.Errorf("granted %+v, want attempt 3 once", grants)
	}
}

func TestNeedOfAJob(t *testing.T) {
	tests := []struct {
		name  string
		job   farm.Job
		adobe bool
		want  schedule.Engine
	}{
		{"no After Effects on the farm", farm.Job{}, false, schedule.EngineAny},
		{"asks for one, but the farm has none", farm.Job{Settings: farm.Settings{Engine: "ae2026"}}, false, schedule.EngineAny},
		{"asks for one", farm.Job{Settings: farm.Settings{Engine: "ae2026"}}, true, "ae2026"},
		{"asks for none", farm.Job{}, true, schedule.EngineAfterEffects},
		{"a preview", farm.Job{Preview: true}, true, schedule.EngineAny},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := schedule.NeedOf(tt.job, tt.adobe); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReleaseOfAVersion(t *testing.T) {
	for version, want := range map[string]schedule.Engine{"26.0.2": "ae2026", "25": "ae2025", "": "", "x": "", "-1.2": ""} {
		if got := schedule.Release(version); got != want {
			t.Errorf("Release(%q) = %q, want %q", version, got, want)
		}
	}
}

// model is the queue done the slow way: it looks at everything, every time.
type model struct {
	tasks    map[string]schedule.Task
	machines map[string]schedule.Machine
	used     map[string]int
}

func (m *model) fits(t schedule.Task, id string) bool {
	if !m.machines[id].Fits(t.Engine, t.Tags) {
		return false
	}
	if !slices.Contains(t.Avoid, id) {
		return true
	}
	for other, mach := range m.machines {
		if mach.Fits(t.Engine, t.Tags) && !slices.Contains(t.Avoid, other) {
			return false
		}
	}
	return true
}

// best is the most urgent task that some free machine may have.
func (m *model) best(now time.Time) (best schedule.Task, found bool) {
	rank := map[farm.Level]int{farm.LevelRush: -1, farm.LevelOvernight: 1}
	for _, t := range m.tasks {
		free := false
		for id, mach := range m.machines {
			free = free || m.used[id] < mach.Slots && m.fits(t, id)
		}
		if !free || t.NotBefore.After(now) {
			continue
		}
		if !found || cmp.Or(cmp.Compare(rank[t.Level], rank[best.Level]), cmp.Compare(best.Priority, t.Priority),
			t.Created.Compare(best.Created), cmp.Compare(t.ID, best.ID)) < 0 {
			best, found = t, true
		}
	}
	return best, found
}

func TestQueueDecidesAsTheSlowWayDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := schedule.NewQueue()
		m := model{map[string]schedule.Task{}, map[string]schedule.Machine{}, map[string]int{}}
		now := epoch
		machineID := rapid.SampledFrom([]string{"a", "b", "c"})
		taskID := rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6", "7", "8"})
		engine := rapid.SampledFrom([]schedule.Engine{"", "ae", "ae2025", "ae2026"})
		tags := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y"}), 0, 2, rapid.ID[string])
		second := rapid.IntRange(0, 5)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				task := schedule.Task{
					ID: taskID.Draw(t, "task"), Attempt: 1, Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
					Level:   rapid.SampledFrom([]farm.Level{"", farm.LevelRush, farm.LevelNormal, farm.LevelOvernight}).Draw(t, "level"),
					Created: epoch.Add(time.Duration(second.Draw(t, "created")) * time.Second),
					Engine:  engine.Draw(t, "engine"), Tags: tags.Draw(t, "tags"),
					Avoid:     rapid.SliceOfNDistinct(machineID, 0, 2, rapid.ID[string]).Draw(t, "avoid"),
					NotBefore: now.Add(time.Duration(second.Draw(t, "rest")-3) * time.Second),
				}
				q.Add(task, now)
				m.tasks[task.ID] = task
			},
			"remove": func(t *rapid.T) {
				id := taskID.Draw(t, "task")
				q.Remove(id)
				delete(m.tasks, id)
			},
			"come": func(t *rapid.T) {
				mach := schedule.Machine{
					ID: machineID.Draw(t, "machine"), Slots: rapid.IntRange(1, 2).Draw(t, "slots"), AnyKind: true,
					Tags: tags.Draw(t, "tags"), Engines: rapid.SliceOfN(rapid.SampledFrom([]schedule.Engine{"ae2025", "ae2026"}), 0, 1).Draw(t, "engines"),
				}
				used := rapid.IntRange(0, mach.Slots).Draw(t, "used")
				q.SetMachine(mach, used)
				m.machines[mach.ID], m.used[mach.ID] = mach, used
			},
			"go": func(t *rapid.T) {
				id := machineID.Draw(t, "machine")
				q.RemoveMachine(id)
				delete(m.machines, id)
			},
			"release": func(t *rapid.T) {
				id := machineID.Draw(t, "machine")
				q.Release(id)
				m.used[id] = max(0, m.used[id]-1)
			},
			"assign": func(t *rapid.T) {
				now = now.Add(time.Duration(second.Draw(t, "pass")) * time.Second)
				for {
					want, some := m.best(now)
					grants := q.Assign(now, 1)
					if !some {
						if grants != nil {
							t.Fatalf("granted %v where nothing could be", ids(grants))
						}
						return
					}
					if len(grants) != 1 || grants[0].Task.ID != want.ID {
						t.Fatalf("granted %v, want task %s", ids(grants), want.ID)
					}
					on := grants[0].Machine
					if mach, ok := m.machines[on]; !ok || !m.fits(want, on) || m.used[on] >= mach.Slots {
						t.Fatalf("task %s was granted to %s, which is gone, full or unfit", want.ID, on)
					}
					m.used[on]++
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

func BenchmarkDecision(b *testing.B) {
	for _, waiting := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("%d waiting", waiting), func(b *testing.B) {
			q := schedule.NewQueue()
			for i := range waiting {
				q.Add(task(fmt.Sprintf("t%07d", i), func(t *schedule.Task) {
					t.Priority = i % 7
					t.Tags = []string{fmt.Sprintf("tag%d", i%5)}
					t.Created = epoch.Add(time.Duration(i))
				}), epoch)
			}
			for i := range 200 {
				m := machine(fmt.Sprintf("m%03d", i), 1)
				m.Tags = []string{"tag0", "tag1", "tag2", "tag3", "tag4"}
				q.SetMachine(m, 1)
			}
			b.ResetTimer()
			for b.Loop() {
				q.Release("m007")
				grants := q.Assign(epoch, 64)
				if len(grants) != 1 {
					b.Fatalf("granted %d", len(grants))
				}
				q.Add(grants[0].Task, epoch)
			}
		})
	}
}
