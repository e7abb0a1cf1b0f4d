package api

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

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
	NotBefore    stamp         `json:"notBefore"`
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
	CreatedAt    stamp         `json:"createdAt"`
	StartedAt    stamp         `json:"startedAt"`
	EndedAt      stamp         `json:"endedAt"`
	Error        *string       `json:"error"`
	Finish       *spanBody     `json:"finish"` // from now on
	Tasks        taskCounts    `json:"tasks"`
}

// approvalBody is whether somebody has approved a job's first frames.
type approvalBody struct {
	ApprovedAt stamp   `json:"approvedAt"`
	ApprovedBy *string `json:"approvedBy"`
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
		ID: j.ID, Name: j.Name, Tags: orEmpty(j.Tags), Status: string(j.Status), Progress: percent(j.Progress), SubmittedBy: j.SubmittedBy,
		BatchID: orNull(j.Batch), ParentID: orNull(j.Parent), Priority: j.Priority, Level: levelName(j.Level), NotBefore: stamp(j.NotBefore),
		Hold: j.Hold, Sequential: j.Sequential, RequireTags: orEmpty(j.RequireTags), AnyTags: orEmpty(j.AnyTags), NoTags: orEmpty(j.NoTags),
		MinMemory: j.MinMemory, OS: j.OS, Engine: j.Settings.Engine, Limits: orEmpty(j.Limits), MaxMachines: j.MaxMachines, MaxAttempts: j.MaxAttempts,
		PreviewFirst: j.PreviewFirst, Failures: j.Failures, FramesTotal: j.FramesTotal,
		CreatedAt: stamp(j.CreatedAt), StartedAt: stamp(j.StartedAt), EndedAt: stamp(endOf(j)), Error: orNull(j.Error),
	}
	if j.Approve {
		body.Approval = &approvalBody{ApprovedAt: stamp(j.ApprovedAt), ApprovedBy: orNull(j.ApprovedBy)}
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

// levelName is a level as answers name it.
func levelName(level farm.Level) string {
	return string(cmp.Or(level, farm.LevelNormal))
}

func (s *server) getFarmJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
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
	return ok(c, body)
}

// changeJob gives a job that has not ended another place in line, or another name.
func (s *server) changeJob(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	change, err := decodeJobChange(body)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	job, err := s.farm.ChangeJob(ctx, p, c.Params("id"), change)
	if err != nil {
		return err
	}
	return s.answerFarmJob(ctx, c, p, job)
}

// decodeJobChange reads what is to be changed. A notBefore of null takes the earliest start away.
func decodeJobChange(body []byte) (coordinator.JobChange, error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return coordinator.JobChange{}, err
	}
	o.only("name", "tags", "priority", "level", "notBefore")
	var change coordinator.JobChange
	if o.has("name") {
		name := strings.TrimSpace(o.text("name", nameLimit))
		change.Name = &name
	}
	if o.has("tags") {
		tags := readTags(o, "tags")
		change.Tags = &tags
	}
	if n, given := o.whole("priority", lowestPriority, highestPriority); given {
		change.Priority = &n
	}
	if o.has("level") {
		level := farm.Level(o.choice("level", levelNames()...))
		change.Level = &level
	}
	if o.raw("notBefore") != nil {
		at := readTime(o, "notBefore")
		change.NotBefore = &at
	}
	return change, wrong.err()
}

// levelNames are the levels as requests name them.
func levelNames() []string {
	names := make([]string, 0, len(farm.Levels()))
	for _, level := range farm.Levels() {
		names = append(names, string(level))
	}
	return names
}
