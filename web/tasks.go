package web

import (
	"context"
	"slices"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/coordinator/dispatch"
	"overcrank/farm"
	"overcrank/web/page"
)

// tasks is what pages ask of the farm about tasks and their attempts.
type tasks interface {
	Tasks(ctx context.Context, p farm.Principal, job, after string, limit int) (list []coordinator.TaskView, next string, err error)
	JobAttempts(ctx context.Context, p farm.Principal, job, after string, limit int) (list []farm.AttemptRecord, next string, err error)
	Attempts(ctx context.Context, p farm.Principal, task string) ([]farm.AttemptRecord, error)
	Makers(ctx context.Context, p farm.Principal, job string, tasks []farm.Task) (map[string][]farm.AttemptRecord, error)
	CountTasks(ctx context.Context, p farm.Principal, job string) (map[farm.TaskStatus]int, error)
	RunningOf(ctx context.Context, p farm.Principal, job string) []farm.RunningTask
	RecentAttempts(ctx context.Context, p farm.Principal, agent string) ([]dispatch.RecentAttempt, error)
}

const (
	tasksOnJob  = 12 // of a job's tasks, on its page
	tasksOnPage = 100
)

// readTasks reads some of a job's tasks with their attempts: those that people look for on its page.
func (s *server) readTasks(ctx context.Context, p farm.Principal, id string) (page.Tasks, error) {
	t, err := s.allTasks(ctx, p, id)
	if err != nil {
		return t, err
	}
	slices.SortStableFunc(t.All, func(a, b page.Task) int { return urgency(a) - urgency(b) })
	t.All = t.All[:min(len(t.All), tasksOnJob)]
	return t, s.addAttempts(ctx, p, t.All)
}

// urgency orders tasks by how much somebody wants to see them.
func urgency(t page.Task) int {
	switch {
	case t.Status == farm.TaskFailed:
		return 0
	case t.Failures > 0 && !t.Status.Ended():
		return 1
	case t.Status == farm.TaskLeased:
		return 2
	case t.Failures > 0:
		return 3
	case t.Status == farm.TaskReady:
		return 4
	default:
		return 5
	}
}

// allTasks reads the tasks of a job, without their attempts. Its ranges say which machines made them, and how long a frame took there.
func (s *server) allTasks(ctx context.Context, p farm.Principal, id string) (page.Tasks, error) {
	var t page.Tasks
	views, _, err := s.farm.tasks.Tasks(ctx, p, id, "", 1<<20)
	if err != nil {
		return t, err
	}
	t.Job.ID, t.Total = id, len(views)
	t.All = make([]page.Task, len(views))
	for i, view := range views {
		t.All[i] = page.Task{Task: view.Task, AgentName: view.AgentName, Running: view.Running}
	}
	ranges := page.InStrip(t.All)
	if len(ranges) == 0 {
		return t, nil
	}
	made, err := s.farm.tasks.Makers(ctx, p, id, ranges)
	t.Ranges = page.RangesOf(ctx, t.All, made)
	return t, err
}

func (s *server) addAttempts(ctx context.Context, p farm.Principal, tasks []page.Task) error {
	for i := range tasks {
		attempts, err := s.farm.tasks.Attempts(ctx, p, tasks[i].ID)
		if err != nil && farm.CodeOf(err) != farm.CodeNotFound {
			return err
		}
		tasks[i].Attempts = attempts
	}
	return nil
}

// taskFilters are the states of tasks behind each word of their filter.
var taskFilters = map[string][]farm.TaskStatus{
	"rendering": {farm.TaskLeased},
	"waiting":   {farm.TaskReady, farm.TaskBlocked},
	"finished":  {farm.TaskDone},
	"failed":    {farm.TaskFailed},
	"cancelled": {farm.TaskCancelled},
}

// tasks shows all tasks of a job, in pages.
func (s *server) tasks(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	id, after := c.Params("id"), c.Query("after")
	job, err := s.readJob(ctx, p, id)
	if err != nil {
		return err
	}
	t, err := s.allTasks(ctx, p, id)
	if err != nil {
		return err
	}
	t.Job, t.After = job, after
	t.Counts = map[string]int{"": t.Total}
	for state, of := range taskFilters {
		for _, task := range t.All {
			if slices.Contains(of, task.Status) {
				t.Counts[state]++
			}
		}
	}
	if after != "" {
		t.All = t.All[slices.IndexFunc(t.All, func(task page.Task) bool { return task.ID == after })+1:]
	}
	if of, known := taskFilters[c.Query("state")]; known {
		t.State = c.Query("state")
		t.All = slices.DeleteFunc(t.All, func(task page.Task) bool { return !slices.Contains(of, task.Status) })
	}
	if len(t.All) > tasksOnPage {
		t.All = t.All[:tasksOnPage]
		t.Next = t.All[tasksOnPage-1].ID
	}
	if err := s.addAttempts(ctx, p, t.All); err != nil {
		return err
	}
	return s.render(c, page.TasksPage(s.shell(c, p, say(c, "%s, tasks", job.Title(reading(c))), "jobs"), t))
}

// timelineTasks is how many tasks a timeline shows.
const timelineTasks = 300

// readTimeline reads when machines worked on a job.
func (s *server) readTimeline(ctx context.Context, p farm.Principal, id string) (page.Timeline, error) {
	job, err := s.farm.jobs.Job(ctx, p, id)
	if err != nil {
		return page.Timeline{}, err
	}
	views, next, err := s.farm.tasks.Tasks(ctx, p, id, "", timelineTasks)
	if err != nil {
		return page.Timeline{}, err
	}
	left := 0
	if next != "" {
		counts, err := s.farm.tasks.CountTasks(ctx, p, id)
		if err != nil {
			return page.Timeline{}, err
		}
		for _, n := range counts {
			left += n
		}
		left -= len(views)
	}
	tasks := make(map[string]farm.Task, len(views))
	for _, v := range views {
		tasks[v.ID] = v.Task
	}
	attempts, _, err := s.farm.tasks.JobAttempts(ctx, p, id, "", timelineTasks)
	if err != nil {
		return page.Timeline{}, err
	}
	return page.TimelineOf(ctx, job, tasks, attempts, s.farm.reports.Now(), left), nil
}
