package farmv1

import (
	"context"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/coordinator/results"
	"overcrank/coordinator/templates"
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
	ProjectID    *string       `json:"projectId"`
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
	// TemplateVersion is that with which the rendering began, or would begin now; TemplateVersionNow that which the template has now.
	TemplateVersion    *int        `json:"templateVersion"`
	TemplateVersionNow *int        `json:"templateVersionNow"`
	CreatedAt          answer.Time `json:"createdAt"`
	StartedAt          answer.Time `json:"startedAt"`
	EndedAt            answer.Time `json:"endedAt"`
	Error              *string     `json:"error"`
	Finish             *spanBody   `json:"finish"` // from now on
	Tasks              taskCounts  `json:"tasks"`
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
		BatchID: answer.OrNull(j.Batch), ParentID: answer.OrNull(j.Parent), ProjectID: answer.OrNull(j.ProjectID), Priority: j.Priority, Level: answer.LevelName(j.Level), NotBefore: answer.Time(j.NotBefore),
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

// Jobs is what the interface asks of the farm about jobs.
type Jobs interface {
	public.Addresses
	Job(ctx context.Context, p farm.Principal, id string) (farm.Job, error)
	CountTasks(ctx context.Context, p farm.Principal, job string) (map[farm.TaskStatus]int, error)
	Placement(ctx context.Context, p farm.Principal, id string) (farm.Placement, error)
	WhyWaiting(ctx context.Context, p farm.Principal, id string) (farm.Text, error)
	ChangeJob(ctx context.Context, p farm.Principal, id string, change coordinator.JobChange) (farm.Job, error)
	ReleaseJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error)
	HoldJobs(ctx context.Context, p farm.Principal, ids []string) ([]farm.Job, error)
	ApproveJob(ctx context.Context, p farm.Principal, id string) (farm.Job, error)
	RejectJob(ctx context.Context, p farm.Principal, id, reason string) (farm.Job, error)
	RenderAgain(ctx context.Context, p farm.Principal, id string, frames []farm.Frames, whole bool) (coordinator.Again, error)
}

// jobHandlers answers for what the farm tells and changes of a job beyond the public interface.
type jobHandlers struct {
	jobs      Jobs
	results   *results.Results
	templates *templates.Catalog
}

func (h jobHandlers) routes() []route.Route {
	return []route.Route{
		route.Post(root+"/jobs/release", farm.ActChangeJobs, h.releaseJobs),
		route.Post(root+"/jobs/:id/release", farm.ActChangeJobs, h.releaseJob),
		route.Post(root+"/jobs/hold", farm.ActChangeJobs, h.holdJobs),
		route.Post(root+"/jobs/:id/hold", farm.ActChangeJobs, h.holdJob),
		route.Get(root+"/jobs/:id/why", farm.ActView, h.whyWaiting),
		route.Get(root+"/jobs/:id/thumbnails", farm.ActView, h.listThumbnails),
		route.Get(root+"/jobs/:id/thumbnails/:frame.jpg", farm.ActView, h.getThumbnail),
		route.Get(root+"/jobs/:id", farm.ActView, h.getFarmJob),
		route.Patch(root+"/jobs/:id", farm.ActChangeJobs, h.changeJob),
		route.Get(root+"/jobs/:id/samples", farm.ActView, h.listSamples),
		route.Get(root+"/jobs/:id/samples/:frame.png", farm.ActView, h.getSample),
		route.Post(root+"/jobs/:id/approve", farm.ActApprove, h.approveJob),
		route.Post(root+"/jobs/:id/reject", farm.ActApprove, h.rejectJob),
		route.Post(root+"/jobs/:id/render-again", farm.ActChangeJobs, h.renderAgain),
		route.Get(root+"/jobs/:id/placement", farm.ActView, h.getPlacement),
	}
}

func (h jobHandlers) getFarmJob(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	job, err := h.jobs.Job(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return h.answerFarmJob(ctx, c, p, job)
}

func (h jobHandlers) answerFarmJob(ctx context.Context, c *fiber.Ctx, p farm.Principal, job farm.Job) error {
	counts, err := h.jobs.CountTasks(ctx, p, job.ID)
	if err != nil {
		return err
	}
	placement, err := h.jobs.Placement(ctx, p, job.ID)
	if err != nil {
		return err
	}
	body := farmJobShape(job, counts)
	body.Finish = spanShape(placement.Finish)
	if err := h.addVersion(ctx, p, job, &body); err != nil {
		return err
	}
	return answer.OK(c, body)
}

// addVersion says which version of its template a job renders.
func (h jobHandlers) addVersion(ctx context.Context, p farm.Principal, job farm.Job, body *farmJobBody) error {
	if job.Template.ID == "" {
		return nil
	}
	t, err := h.templates.Get(ctx, p, job.Template.ID)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil // it was deleted
	}
	if err != nil {
		return err
	}
	if version := t.VersionFor(job); version > 0 {
		body.TemplateVersion = &version
	}
	now := t.VersionNow()
	body.TemplateVersionNow = &now
	return nil
}

// changeJob gives a job that has not ended another place in line, or another name.
func (h jobHandlers) changeJob(c *fiber.Ctx, p farm.Principal) error {
	change, err := input.Body(c, decodeJobChange)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	job, err := h.jobs.ChangeJob(ctx, p, c.Params("id"), change)
	if err != nil {
		return err
	}
	return h.answerFarmJob(ctx, c, p, job)
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
