package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// shelf gives a machine with ten jobs of "team", j0 the oldest: j0 and j1 finished, j2 renders, j3 cancelled, the rest
// queued; priorities 0, 1, 2, 0, 1, …; odd ones tagged "odd", j4 also "four"; and one job of another team.
func shelf(t *testing.T) *rig {
	m := newRig(t, t.TempDir(), "state")
	t.Cleanup(m.end)
	furnish(m)
	m.must(command.PutTeam{Team: farm.Team{ID: "other"}})
	for i := range 10 {
		job, task := jobOf(fmt.Sprintf("j%d", i), i)
		job.Priority = i % 3
		if i%2 == 1 {
			job.Tags = append(job.Tags, "odd")
		}
		if i == 4 {
			job.Tags = append(job.Tags, "four")
		}
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	}
	stranger, task := jobOf("s0", 3)
	stranger.Team, stranger.Template.ID, task.Team = "other", "", "other"
	m.must(command.SubmitJobs{Jobs: []farm.Job{stranger}, Tasks: []farm.Task{task}})
	for i := range 3 {
		lease(m, fmt.Sprintf("j%d.0", i), 1, 20)
	}
	for i := range 2 {
		m.must(command.FinishTask{Task: fmt.Sprintf("j%d.0", i), Attempt: 1, At: after(30)})
	}
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j3"}, At: after(31)})
	return m
}

func idsOf(jobs []farm.Job) string {
	ids := ""
	for _, job := range jobs {
		ids += job.ID[1:]
	}
	return ids
}

func TestJobQueries(t *testing.T) {
	m := shelf(t)
	for name, tc := range map[string]struct {
		query farm.JobQuery
		want  string
	}{
		"all":               {farm.JobQuery{}, "0123456789"},
		"oldest first":      {farm.JobQuery{Sort: "oldest_first"}, "0123456789"},
		"newest first":      {farm.JobQuery{Sort: "newest_first"}, "9876543210"},
		"priority":          {farm.JobQuery{Sort: "priority"}, "2581470369"},
		"one state":         {farm.JobQuery{States: []farm.JobStatus{farm.JobFinished}}, "01"},
		"two states":        {farm.JobQuery{States: []farm.JobStatus{farm.JobFinished, farm.JobQueued}, Sort: "newest_first"}, "98765410"},
		"without a state":   {farm.JobQuery{ExcludeStates: []farm.JobStatus{farm.JobQueued}}, "0123"},
		"unknown state":     {farm.JobQuery{States: []farm.JobStatus{"asleep"}}, ""},
		"limit":             {farm.JobQuery{Limit: 3}, "012"},
		"offset":            {farm.JobQuery{Offset: 8}, "89"},
		"offset too far":    {farm.JobQuery{Offset: 80}, ""},
		"from":              {farm.JobQuery{From: after(7)}, "789"},
		"to":                {farm.JobQuery{To: after(2)}, "012"},
		"between":           {farm.JobQuery{From: after(3), To: after(5)}, "345"},
		"between, newest":   {farm.JobQuery{From: after(3), To: after(5), Sort: "newest_first"}, "543"},
		"between, priority": {farm.JobQuery{From: after(3), To: after(6), Sort: "priority"}, "5436"},
		"from long ago":     {farm.JobQuery{From: time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), Limit: 2}, "01"},
		"to the end":        {farm.JobQuery{To: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), Sort: "newest_first", Limit: 2}, "98"},
		"from the end":      {farm.JobQuery{From: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}, ""},
		"tag":               {farm.JobQuery{Tags: []string{"odd"}}, "13579"},
		"any of two tags":   {farm.JobQuery{Tags: []string{"four", "odd"}, Sort: "newest_first"}, "975431"},
		"tag with offset":   {farm.JobQuery{Tags: []string{"odd"}, Offset: 1, Limit: 2}, "35"},
	} {
		t.Run(name, func(t *testing.T) {
			m.read(func(tx *Tx) error {
				jobs, _, err := tx.Jobs("team", tc.query)
				if got := idsOf(jobs); got != tc.want {
					t.Errorf("got %q, want %q", got, tc.want)
				}
				return err
			})
		})
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	m := shelf(t)
	for sort, want := range map[string]string{"": "0123456789", "newest_first": "9876543210", "priority": "2581470369"} {
		for limit := 1; limit <= 11; limit++ {
			var got, cursor string
			pages := 0
			for {
				m.read(func(tx *Tx) error {
					jobs, next, err := tx.Jobs("team", farm.JobQuery{Sort: sort, Limit: limit, Cursor: cursor})
					got, cursor = got+idsOf(jobs), next
					return err
				})
				if pages++; cursor == "" || pages > 20 {
					break
				}
			}
			if wantPages := (10 + limit - 1) / limit; got != want || pages != wantPages {
				t.Errorf("%q by %d: got %q in %d pages, want %q in %d", sort, limit, got, pages, want, wantPages)
			}
		}
	}
}

func TestRandomOrderIsSettledByTheSeed(t *testing.T) {
	m := shelf(t)
	orders := map[string]bool{}
	for seed := range uint64(8) {
		m.read(func(tx *Tx) error {
			query := farm.JobQuery{Sort: "random", Seed: seed, ExcludeStates: []farm.JobStatus{farm.JobCancelled}}
			jobs, _, err := tx.Jobs("team", query)
			query.Offset = 4
			rest, _, _ := tx.Jobs("team", query)
			order := idsOf(jobs)
			sorted := []byte(order)
			slices.Sort(sorted)
			if string(sorted) != "012456789" || idsOf(rest) != order[4:] {
				t.Errorf("seed %d gives %q and from the fifth on %q", seed, order, idsOf(rest))
			}
			orders[order] = true
			return err
		})
	}
	if len(orders) < 4 {
		t.Errorf("8 seeds gave only %d orders", len(orders))
	}
}

func TestQueriesThatMakeNoSenseNameTheField(t *testing.T) {
	m := shelf(t)
	for name, query := range map[string]farm.JobQuery{
		"order":                   {Sort: "sideways"},
		"cursor":                  {Cursor: "%%%"},
		"short cursor":            {Cursor: "bw"},
		"cursor of another order": {Cursor: "bm5ubm4", Sort: "priority"},
	} {
		m.tables(func(t2 *tables) error {
			if _, _, err := (&Tx{t2}).Jobs("team", query); farm.CodeOf(err) != farm.CodeInvalid {
				t.Errorf("%s: %v", name, err)
			}
			return nil
		})
	}
}

func TestReadersOfSingleThings(t *testing.T) {
	m := shelf(t)
	m.read(func(tx *Tx) error {
		counts, err := tx.CountJobs("team")
		if err != nil || fmt.Sprint(counts) != fmt.Sprint(map[farm.JobStatus]int{farm.JobQueued: 6, farm.JobRendering: 1, farm.JobFinished: 2, farm.JobCancelled: 1}) {
			t.Errorf("counts %v, %v", counts, err)
		}
		if job, err := tx.JobByOutput("j7-out.mp4"); err != nil || job.ID != "j7" {
			t.Errorf("by output: %s, %v", job.ID, err)
		}
		template, err := tx.Template("tmpl")
		if err != nil || template.ActiveJobs != 7 || template.Status != farm.TemplateUploaded {
			t.Errorf("template %+v, %v", template, err)
		}
		templates, err := tx.Templates("team")
		if err != nil || len(templates) != 1 {
			t.Errorf("templates %v, %v", templates, err)
		}
		ready, err := tx.TasksIn(farm.TaskReady, "", 1000)
		if err != nil || len(ready) != 7 || ready[0].ID != "j4.0" {
			t.Errorf("ready tasks %v, %v", ready, err)
		}
		if _, err := tx.TasksIn(farm.TaskDone, "", 1000); farm.CodeOf(err) != farm.CodeInvalid {
			t.Errorf("done tasks: %v", err)
		}
		for what, err := range map[string]error{
			"team": second(tx.Team("x")), "template": second(tx.Template("x")), "job": second(tx.Job("x")), "output": second(tx.JobByOutput("x")),
			"task": second(tx.Task("x")), "file": second(tx.File("team", "x")), "machine": second(tx.Agent("x")), "token": second(tx.Token("x")),
		} {
			if farm.CodeOf(err) != farm.CodeNotFound {
				t.Errorf("unknown %s answers %v", what, err)
			}
		}
		return nil
	})
}

func second[R any](_ R, err error) error { return err }

func TestTasksOfAJobComeInTheirOrder(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	job, task := jobOf("j1", 1)
	cmd := command.SubmitJobs{Jobs: []farm.Job{job}}
	for i := range 12 {
		task.ID = fmt.Sprintf("j1.%d", i)
		cmd.Tasks = append(cmd.Tasks, task)
	}
	m.must(cmd)
	submit(m, "j1.5", 2)
	m.read(func(tx *Tx) error {
		tasks, err := tx.TasksOf("j1")
		for i, task := range tasks {
			if task.ID != fmt.Sprintf("j1.%d", i) {
				t.Errorf("task %d is %s", i, task.ID)
			}
		}
		if len(tasks) != 12 {
			t.Errorf("%d tasks", len(tasks))
		}
		return err
	})
}

// TestTheMostUrgentTasksAreReadFirst reads ready tasks in the order of their jobs: those that render, then by priority, then by age.
func TestTheMostUrgentTasksAreReadFirst(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	for i, priority := range []int{0, 5, 0, -3, 5} {
		job, task := jobOf(fmt.Sprint("j", i), i)
		job.Priority = priority
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	}
	rendering, first := jobOf("r", 9)
	second := first
	rendering.Priority, second.ID = -9, "r.1"
	m.must(command.SubmitJobs{Jobs: []farm.Job{rendering}, Tasks: []farm.Task{first, second}})
	lease(m, "r.0", 1, 10)
	for limit, want := range map[int]string{9: "r.1 j1.0 j4.0 j0.0 j2.0 j3.0", 3: "r.1 j1.0 j4.0", 1: "r.1"} {
		var got []string
		m.read(func(tx *Tx) error {
			tasks, err := tx.UrgentTasks("team", limit)
			for _, task := range tasks {
				got = append(got, task.ID)
			}
			return err
		})
		if strings.Join(got, " ") != want {
			t.Errorf("at most %d: %v, want %s", limit, got, want)
		}
	}
	m.read(func(tx *Tx) error {
		if tasks, err := tx.UrgentTasks("other", 9); len(tasks) != 0 || err != nil {
			t.Errorf("%v of a team without jobs, %v", tasks, err)
		}
		return nil
	})
}
