package schedule_test

import (
	"fmt"
	"testing"
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
)

// crowd is a farm with busy machines and a long queue. Each machine has one of ten sets of tags, and so fits about half of the classes; a
// tenth of them have After Effects.
func crowd(tasks, classes, machines int) *schedule.Queue {
	q := schedule.NewQueue()
	q.SetPolicy(farm.Policy{
		Teams:  map[string]farm.TeamPolicy{"team1": {Weight: 3}, "team2": {MaxMachines: machines}},
		Limits: map[string]farm.LimitPolicy{"particular": {Total: machines}},
	})
	for i := range machines {
		var versions []string
		if i%10 == 0 {
			versions = []string{"26.0"}
		}
		m := machine(fmt.Sprintf("m%05d", i), 1, versions...)
		for tag := range 10 {
			if (i+tag)%10 < 6 {
				m.Tags = append(m.Tags, fmt.Sprintf("tag%d", tag))
			}
		}
		// What nobody asks for tells machines apart too.
		m.Inventory.Memory = int64(i+16) * 1e9
		come(q, m)
		q.Hold(schedule.Task{ID: fmt.Sprintf("held%05d.1", i), Job: fmt.Sprintf("held%05d", i), Team: "team0", Attempt: 1}, m.ID, epoch)
	}
	for i := range tasks {
		c := i % classes
		need := schedule.Need{AllTags: []string{fmt.Sprintf("tag%d", c%10)}, MinMemory: int64(c/10) * 1e8}
		if classes == 1 {
			need = schedule.Need{}
		}
		if c%50 == 7 {
			need.Limits = []string{"particular"}
		}
		id := fmt.Sprintf("%026d", i)
		q.Add(schedule.Task{
			ID: id + ".1", Job: id, Team: fmt.Sprintf("team%d", i/classes%5), Attempt: 1, Priority: i % 7, Need: need,
			Created: epoch.Add(time.Duration(i) * time.Millisecond), Work: schedule.Work{Name: fmt.Sprintf("template%d", c), File: fmt.Sprintf("%016d", c)},
		}, epoch)
	}
	return q
}

// BenchmarkGrant ends the tasks of one machine after another, and assigns each its next one.
func BenchmarkGrant(b *testing.B) {
	for _, size := range []struct{ tasks, classes, machines int }{
		{100, 1, 200}, {100_000, 1, 200}, {1_000_000, 1, 200}, {100_000, 1000, 200}, {1_000_000, 1000, 200}, {1_000_000, 1000, 2000}, {1_000_000, 10_000, 2000},
	} {
		b.Run(fmt.Sprintf("%d tasks, %d classes, %d machines", size.tasks, size.classes, size.machines), func(b *testing.B) {
			q := crowd(size.tasks, size.classes, size.machines)
			held := make([]string, size.machines)
			for i := range held {
				held[i] = fmt.Sprintf("held%05d.1", i)
			}
			now := epoch
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				now = now.Add(time.Millisecond)
				at := i * 7 % size.machines
				q.Release(held[at], 1, now)
				grants := q.Assign(now, 64)
				if len(grants) != 1 {
					b.Fatalf("granted %d", len(grants))
				}
				held[at] = grants[0].Task.ID
				// Another task comes in its place.
				t := grants[0].Task
				t.Job = fmt.Sprintf("%026d", 10_000_000+i)
				t.ID, t.Created = t.Job+".1", now
				q.Add(t, now)
			}
		})
	}
}

// BenchmarkAllMachinesAtOnce assigns a task to each machine of an idle farm.
func BenchmarkAllMachinesAtOnce(b *testing.B) {
	const machines = 2000
	q := crowd(1_000_000, 1000, machines)
	for i := range machines {
		q.Release(fmt.Sprintf("held%05d.1", i), 1, epoch)
	}
	b.ResetTimer()
	for b.Loop() {
		var all []schedule.Grant
		for {
			grants := q.Assign(epoch, 64)
			if len(grants) == 0 {
				break
			}
			all = append(all, grants...)
		}
		if len(all) != machines {
			b.Fatalf("granted %d", len(all))
		}
		b.StopTimer()
		for _, g := range all {
			q.Revoke(g)
			q.Add(g.Task, epoch)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*machines), "µs/grant")
}

// BenchmarkAdd measures queueing a task among a million.
func BenchmarkAdd(b *testing.B) {
	for b.Loop() {
		crowd(1_000_000, 1000, 1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/task")
}

// BenchmarkExplain explains a task in the middle of a long line.
func BenchmarkExplain(b *testing.B) {
	q := crowd(1_000_000, 1000, 2000)
	listed, _ := q.Line(epoch, 500, 1)
	b.ResetTimer()
	for b.Loop() {
		q.Explain(listed[0].Task, epoch)
	}
}

// BenchmarkStarts asks for the first 50 tasks in line, of as many kinds: what the leader does in one go for a list of jobs that is sorted by when they are
// likely to be done.
func BenchmarkStarts(b *testing.B) {
	q := crowd(20_000, 1000, 2000)
	listed, _ := q.Line(epoch, 0, 50)
	tasks := make([]schedule.Task, len(listed))
	for i, l := range listed {
		tasks[i] = l.Task
	}
	b.ResetTimer()
	for b.Loop() {
		q.Starts(tasks, epoch)
	}
}
