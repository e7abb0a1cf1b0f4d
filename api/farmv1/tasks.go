package farmv1

import (
	"cmp"
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
)

// taskBody is one piece of a job's work, which one machine does at a time.
type taskBody struct {
	ID        string        `json:"id"`
	Job       string        `json:"job"`
	Kind      string        `json:"kind"`
	Stage     int           `json:"stage"`
	Status    string        `json:"status"`
	Frames    *framesBody   `json:"frames"` // null: as the job's settings say
	Stills    []int         `json:"stills,omitempty"`
	Parts     []partBody    `json:"parts,omitempty"` // what has come of it, of a split job
	Engine    *string       `json:"engine"`          // null: any that fits
	Redo      int           `json:"redo"`            // how often its frames were made again
	Attempt   int           `json:"attempt"`
	Failures  int           `json:"failures"`
	NotBefore answer.Time   `json:"notBefore"`
	Agent     *taskAgent    `json:"agent"`
	Running   *runningShape `json:"running"`
	Error     *string       `json:"error"`
}

// partBody is frames of a split job that are done.
type partBody struct {
	Start   int `json:"start"`
	End     int `json:"end"`
	Attempt int `json:"attempt"`
}

// framesBody is a range of frames, both ends included.
type framesBody struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// taskAgent is who has or had a task.
type taskAgent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// attemptBody is one lease of a task.
type attemptBody struct {
	Task     string        `json:"task"`
	Attempt  int           `json:"attempt"`
	Agent    taskAgent     `json:"agent"`
	LeasedAt answer.Time   `json:"leasedAt"`
	EndedAt  answer.Time   `json:"endedAt"`
	Outcome  *string       `json:"outcome"` // null while it is under way
	Class    *string       `json:"class"`   // of a failure
	Message  *string       `json:"message"`
	Measured *measuredBody `json:"measured"`
}

// measuredBody is how long the parts of an attempt took, in seconds.
type measuredBody struct {
	Engine       string  `json:"engine"`
	FetchSeconds float64 `json:"fetchSeconds"`
	StartSeconds float64 `json:"startSeconds"`
	Frames       int     `json:"frames"`
	FrameSeconds float64 `json:"frameSeconds"`
	FramesReused int     `json:"framesReused"`
}

func taskShape(t coordinator.TaskView) taskBody {
	body := taskBody{
		ID: t.ID, Job: t.Job, Kind: string(cmp.Or(t.Kind, farm.TaskRender)), Stage: t.Stage, Status: string(t.Status), Stills: t.Stills,
		Attempt: t.Attempt, Failures: t.Failures, NotBefore: answer.Time(t.NotBefore), Error: answer.OrNull(t.Error), Engine: answer.OrNull(t.Engine), Redo: t.Redo,
	}
	for _, part := range t.Parts {
		body.Parts = append(body.Parts, partBody{Start: part.Frames.Start, End: part.Frames.End, Attempt: part.Attempt})
	}
	if t.Frames != nil {
		body.Frames = &framesBody{Start: t.Frames.Start, End: t.Frames.End}
	}
	if t.Agent != "" {
		body.Agent = &taskAgent{ID: t.Agent, Name: t.AgentName}
	}
	if t.Running != nil {
		running := runningOf(*t.Running)
		body.Running = &running
	}
	return body
}

func attemptShapes(attempts []farm.AttemptRecord) []attemptBody {
	out := make([]attemptBody, len(attempts))
	for i, a := range attempts {
		out[i] = attemptBody{
			Task: a.Task, Attempt: a.Number, Agent: taskAgent{ID: a.Agent, Name: a.AgentName}, LeasedAt: answer.Time(a.LeasedAt), EndedAt: answer.Time(a.EndedAt),
			Outcome: answer.OrNull(string(a.Outcome)), Class: answer.OrNull(string(a.Class)), Message: answer.OrNull(a.Message),
		}
		if m := a.Measured; m != (farm.Measured{}) {
			out[i].Measured = &measuredBody{
				Engine: m.Engine, FetchSeconds: m.FetchSeconds, StartSeconds: m.StartSeconds, Frames: m.Frames, FrameSeconds: m.FrameSeconds,
				FramesReused: m.Reused,
			}
		}
	}
	return out
}

// queryPage reads which page of a list is asked for.
func queryPage(c *fiber.Ctx) (cursor string, limit int, err error) {
	wrong := &input.Problems{}
	limit = input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong)
	cursor = input.QueryCursor(c, wrong)
	return cursor, limit, wrong.Err()
}

// Tasks is what the interface asks of the farm about tasks.
type Tasks interface {
	Tasks(ctx context.Context, p farm.Principal, job, after string, limit int) (list []coordinator.TaskView, next string, err error)
	Task(ctx context.Context, p farm.Principal, id string) (coordinator.TaskView, error)
	Attempts(ctx context.Context, p farm.Principal, task string) ([]farm.AttemptRecord, error)
	JobAttempts(ctx context.Context, p farm.Principal, job, after string, limit int) (list []farm.AttemptRecord, next string, err error)
}

// taskHandlers answers for tasks and their attempts.
type taskHandlers struct{ tasks Tasks }

func (h taskHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/jobs/:id/tasks", farm.ActView, h.listTasks),
		route.Get(root+"/jobs/:id/attempts", farm.ActView, h.listJobAttempts),
		route.Get(root+"/tasks/:id", farm.ActView, h.getTask),
		route.Get(root+"/tasks/:id/attempts", farm.ActView, h.listAttempts),
	}
}

func (h taskHandlers) listTasks(c *fiber.Ctx, p farm.Principal) error {
	after, limit, err := queryPage(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	tasks, next, err := h.tasks.Tasks(ctx, p, c.Params("id"), after, limit)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, answer.Each(tasks, taskShape))
}

func (h taskHandlers) getTask(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	task, err := h.tasks.Task(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, taskShape(task))
}

func (h taskHandlers) listAttempts(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	attempts, err := h.tasks.Attempts(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, attemptShapes(attempts))
}

// listJobAttempts gives the attempts of a job's tasks; a page holds those of so many tasks.
func (h taskHandlers) listJobAttempts(c *fiber.Ctx, p farm.Principal) error {
	after, limit, err := queryPage(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	attempts, next, err := h.tasks.JobAttempts(ctx, p, c.Params("id"), after, limit)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, attemptShapes(attempts))
}
