package web

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/coordinator"
	"overcrank/coordinator/dispatch"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// tasks is what pages ask of the farm about tasks and their attempts.
type tasks interface {
	Tasks(ctx context.Context, p farm.Principal, job, after string, limit int) (list []coordinator.TaskView, next string, err error)
	JobAttempts(ctx context.Context, p farm.Principal, job, after string, limit int) (list []farm.AttemptRecord, next string, err error)
	Attempts(ctx context.Context, p farm.Principal, task string) ([]farm.AttemptRecord, error)
	CountTasks(ctx context.Context, p farm.Principal, job string) (map[farm.TaskStatus]int, error)
	RunningOf(ctx context.Context, p farm.Principal, job string) []farm.RunningTask
	RecentAttempts(ctx context.Context, p farm.Principal, agent string) ([]dispatch.RecentAttempt, error)
}

const (
	tasksOnJob  = 12 // of a job's tasks, on its page
	tasksOnPage = 100
	topPriority = 1000
)

// readJobView reads a job's page, without its tasks.
func (s *server) readJobView(ctx context.Context, p farm.Principal, id string) (page.JobView, error) {
	job, err := s.readJob(ctx, p, id)
	v := page.JobView{Job: job, Level: job.Level, Levels: s.levelsFor(ctx, p, job.Level)}
	if v.Level == "" {
		v.Level = farm.LevelNormal
	}
	if err != nil {
		return v, err
	}
	if err := s.addVersion(ctx, p, &v); err != nil {
		return v, err
	}
	if job.Status == farm.JobFailed {
		if v.Cure, err = s.cureOf(ctx, p, id); err != nil {
			return v, err
		}
	}
	if job.Status == farm.JobRendering {
		if v.Shared, err = s.isShared(ctx, p, id); err != nil {
			return v, err
		}
	}
	if job.Status.Ended() && !job.PreviewFirst {
		return v, nil
	}
	if job.PreviewFirst {
		samples, err := s.farm.results.Samples(ctx, p, id)
		if err != nil {
			return v, err
		}
		for _, sample := range samples {
			v.Samples = append(v.Samples, sample.Frame)
		}
	}
	if job.Status.Ended() {
		return v, nil
	}
	if v.Watching, err = s.farm.notices.Watches(ctx, p, id); err != nil {
		return v, err
	}
	placement, err := s.farm.queue.Placement(ctx, p, id)
	if err != nil {
		return v, err
	}
	v.Placement, v.Finish = &placement, placement.Finish
	return v, nil
}

// isShared tells whether machines share a film: one of its first tasks, which may be that of the frames to look at first, renders a part of it.
func (s *server) isShared(ctx context.Context, p farm.Principal, id string) (bool, error) {
	first, _, err := s.farm.tasks.Tasks(ctx, p, id, "", 2)
	return slices.ContainsFunc(first, func(t coordinator.TaskView) bool { return t.Kind == farm.TaskRender && t.Part }), err
}

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

// levelsFor are the levels that a reader may choose for a job, with the one that it has.
func (s *server) levelsFor(ctx context.Context, p farm.Principal, now farm.Level) []farm.Level {
	policy, err := s.farm.policy.Policy(ctx, p)
	return slices.DeleteFunc(farm.Levels(), func(l farm.Level) bool {
		return l == farm.LevelRush && l != now && (err != nil || policy.MayRush(p) != nil)
	})
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

// allTasks reads the tasks of a job, without their attempts.
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
	t.Ranges = page.RangesOf(ctx, t.All)
	return t, nil
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

// sample answers with the full-size picture of a frame that was rendered to be looked at first.
func (s *server) sample(c *fiber.Ctx, p farm.Principal) error {
	return s.frame(c, p, ".png", s.farm.results.OpenSample)
}

// changeOrder gives a job that waits another place in line.
func (s *server) changeOrder(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	o, wrong := readOrder(c)
	if c.FormValue("front") != "" {
		o.priority = topPriority
	}
	var err error
	if len(wrong) > 0 {
		err = farm.Invalid("the job’s place in the queue cannot be changed", wrong...)
	} else {
		_, err = s.farm.jobs.ChangeJob(ctx, p, c.Params("id"), coordinator.JobChange{Priority: &o.priority, Level: &o.level, NotBefore: &o.notBefore})
	}
	if farm.CodeOf(err) == farm.CodeInvalid {
		sent := sentPlace(c, o)
		sent.Wrong = wrongOf(reading(c), err)
		c.Status(answer.StatusOf(err))
		return s.showJob(c, p, &sent)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}

// sentPlace is a place in line as a form holds it, to be shown again as it was typed.
func sentPlace(c *fiber.Ctx, o order) page.Place {
	return page.Place{Level: o.level, Priority: strings.TrimSpace(c.FormValue("priority")), NotBefore: c.FormValue("notBefore"), Zone: c.FormValue("zone")}
}

// wrongOf is what an error has against fields of a form, in the language of a context.
func wrongOf(ctx context.Context, err error) page.Wrong {
	wrong := page.Wrong{}
	for _, f := range fieldsOf(err) {
		wrong[f.Field] = language.Told(ctx, f.Text())
	}
	return wrong
}

// order is a place in line as forms hold it.
type order struct {
	level     farm.Level
	priority  int
	notBefore time.Time
}

// readOrder reads a place in line from its form, with what is wrong about fields of it.
func readOrder(c *fiber.Ctx) (o order, wrong []farm.FieldError) {
	o.level = cmp.Or(farm.Level(c.FormValue("level")), farm.LevelNormal)
	if !o.level.Known() {
		wrong = append(wrong, farm.Field("level", "is rush, normal or overnight"))
	}
	if text := strings.TrimSpace(c.FormValue("priority")); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < -topPriority || n > topPriority {
			wrong = append(wrong, farm.Field("priority", "has to be a whole number from -1000 to 1000"))
		}
		o.priority = n
	}
	var err error
	if o.notBefore, err = clockTime(c.FormValue("notBefore"), c.FormValue("zone")); err != nil {
		wrong = append(wrong, fieldsOf(err)...)
	}
	return o, wrong
}

// fieldsOf are the fields that an error is about.
func fieldsOf(err error) []farm.FieldError {
	var refused *farm.Error
	if errors.As(err, &refused) {
		return refused.Fields
	}
	return nil
}

// clockTime is the time that a field of a form holds on the reader's clock; zone is how many minutes that is behind UTC, as browsers
// count. Zero for an empty field.
func clockTime(text, zone string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		return at, farm.Invalid("the time cannot be read", farm.Field("notBefore", "has to be a day and a time"))
	}
	behind, _ := strconv.Atoi(zone) // none: the field is in UTC
	return at.Add(time.Duration(behind) * time.Minute), nil
}

// approveJob lets the rest of a job go on behind its first frames.
func (s *server) approveJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.jobs.ApproveJob(ctx, p, c.Params("id")); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}

func (s *server) rejectJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	if _, err := s.farm.jobs.RejectJob(ctx, p, c.Params("id"), c.FormValue("reason")); err != nil {
		return err
	}
	return c.Redirect("/jobs/"+c.Params("id"), fiber.StatusSeeOther)
}
