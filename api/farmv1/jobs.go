package farmv1

import (
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator"
	"overcrank/farm"
)

// farmJobBody is a job as the farm sees it: where it stands, and what it asks of machines.
type farmJobBody struct {
	ID           string        `json:"id"`
	Name         string        `json:"name"`
	Tags         []string      `json:"tags"`
	Status       string        `json:"status"`
	Progress     float64       `json:"progress"`
	SubmittedBy  string        `json:"submittedBy"`
	BatchID      *string       `json:"batchId"`
	ParentID     *string       `json:"parentId"`
	Priority     int           `json:"priority"`
	Level        string        `json:"level"`
	NotBefore    answer.Time   `json:"notBefore"`
	Hold         bool          `json:"hold"`
	Sequential   bool          `json:"sequential"`
	RequireTags  []string      `json:"requireTags"`
	AnyTags      []string      `json:"anyTags"`
	NoTags       []string      `json:"noTags"`
	MinMemory    int64         `json:"minMemory"` // bytes
	OS           string        `json:"os"`
	Engine       string        `json:"engine"`
	Limits       []string      `json:"limits"`
	MaxMachines  int           `json:"maxMachines"`
	MaxAttempts  int           `json:"maxAttempts"`
	PreviewFirst bool          `json:"previewFirst"`
	Approval     *approvalBody `json:"approval"` // null for a job that nobody has to approve
	Failures     int           `json:"failures"`
	FramesTotal  int           `json:"framesTotal"`
	CreatedAt    answer.Time   `json:"createdAt"`
	StartedAt    answer.Time   `json:"startedAt"`
	EndedAt      answer.Time   `json:"endedAt"`
	Error        *string       `json:"error"`
	Finish       *spanBody     `json:"finish"` // from now on
	Tasks        taskCounts    `json:"tasks"`
}

// approvalBody is whether somebody has approved a job's first frames.
type approvalBody struct {
	ApprovedAt answer.Time `json:"approvedAt"`
	ApprovedBy *string     `json:"approvedBy"`
}

// taskCounts is how many tasks of a job are in each state.
type taskCounts struct {
	Total     int `json:"total"`
	Blocked   int `json:"blocked"`
	Ready     int `json:"ready"`
	Leased    int `json:"leased"`
	Done      int `json:"done"`
	Failed    int `json:"failed"`
	Cancelled int `json:"cancelled"`
}

func farmJobShape(j farm.Job, counts map[farm.TaskStatus]int) farmJobBody {
	body := farmJobBody{
		ID: j.ID, Name: j.Name, Tags: answer.OrEmpty(j.Tags), Status: string(j.Status), Progress: answer.Percent(j.Progress), SubmittedBy: j.SubmittedBy,
		BatchID: answer.OrNull(j.Batch), ParentID: answer.OrNull(j.Parent), Priority: j.Priority, Level: answer.LevelName(j.Level), NotBefore: answer.Time(j.NotBefore),
		Hold: j.Hold, Sequential: j.Sequential, RequireTags: answer.OrEmpty(j.RequireTags), AnyTags: answer.OrEmpty(j.AnyTags), NoTags: answer.OrEmpty(j.NoTags),
		MinMemory: j.MinMemory, OS: j.OS, Engine: j.Settings.Engine, Limits: answer.OrEmpty(j.Limits), MaxMachines: j.MaxMachines, MaxAttempts: j.MaxAttempts,
		PreviewFirst: j.PreviewFirst, Failures: j.Failures, FramesTotal: j.FramesTotal,
		CreatedAt: answer.Time(j.CreatedAt), StartedAt: answer.Time(j.StartedAt), EndedAt: answer.Time(endOf(j)), Error: answer.OrNull(j.Error),
	}
	if j.Approve {
		body.Approval = &approvalBody{ApprovedAt: answer.Time(j.ApprovedAt), ApprovedBy: answer.OrNull(j.ApprovedBy)}
	}
	for status, n := range counts {
		body.Tasks.Total += n
		switch status {
		case farm.TaskBlocked:
			body.Tasks.Blocked = n
		case farm.TaskReady:
			body.Tasks.Ready = n
		case farm.TaskLeased:
			body.Tasks.Leased = n
		case farm.TaskDone:
			body.Tasks.Done = n
		case farm.TaskFailed:
			body.Tasks.Failed = n
		case farm.TaskCancelled:
			body.Tasks.Cancelled = n
		}
	}
	return body
}

// endOf is when a job ended, zero while it has not.
func endOf(j farm.Job) time.Time {
	switch j.Status {
	case farm.JobFinished:
		return j.FinishedAt
	case farm.JobFailed:
		return j.ErrorAt
	case farm.JobCancelled:
		return j.UpdatedAt
	default:
		return time.Time{}
	}
}

func (s *server) getFarmJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := s.farm.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return s.answerFarmJob(ctx, c, p, job)
}

func (s *server) answerFarmJob(ctx context.Context, c *fiber.Ctx, p farm.Principal, job farm.Job) error {
	counts, err := s.farm.CountTasks(ctx, p, job.ID)
	if err != nil {
		return err
	}
	placement, err := s.farm.Placement(ctx, p, job.ID)
	if err != nil {
		return err
	}
	body := farmJobShape(job, counts)
	body.Finish = spanShape(placement.Finish)
	return answer.OK(c, body)
}

// changeJob gives a job that has not ended another place in line, or another name.
func (s *server) changeJob(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	change, err := decodeJobChange(body)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	job, err := s.farm.ChangeJob(ctx, p, c.Params("id"), change)
	if err != nil {
		return err
	}
	return s.answerFarmJob(ctx, c, p, job)
}

// decodeJobChange reads what is to be changed. A notBefore of null takes the earliest start away.
func decodeJobChange(body []byte) (coordinator.JobChange, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return coordinator.JobChange{}, err
	}
	o.Only("name", "tags", "priority", "level", "notBefore")
	var change coordinator.JobChange
	if o.Has("name") {
		name := strings.TrimSpace(o.Text("name", input.NameLimit))
		change.Name = &name
	}
	if o.Has("tags") {
		tags := input.Tags(o, "tags")
		change.Tags = &tags
	}
	if n, given := o.Whole("priority", input.LowestPriority, input.HighestPriority); given {
		change.Priority = &n
	}
	if o.Has("level") {
		level := farm.Level(o.Choice("level", input.LevelNames()...))
		change.Level = &level
	}
	if o.Raw("notBefore") != nil {
		at := input.Time(o, "notBefore")
		change.NotBefore = &at
	}
	return change, wrong.Err()
}
