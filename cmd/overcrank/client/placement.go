package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"overcrank/farm"
)

// FarmJob is a job as the farm sees it.
type FarmJob struct {
	Raw    `json:"-"`
	ID     string         `json:"id"`
	Name   string         `json:"name"`
	Status farm.JobStatus `json:"status"`
	// SubmittedBy is the name of who submitted it.
	SubmittedBy string `json:"submittedBy"`
	Priority    int    `json:"priority"`
	Level       string `json:"level"`
	NotBefore   string `json:"notBefore"`
	// TemplateVersion is that with which the rendering began, TemplateVersionNow that which the template has now; 0 when not known.
	TemplateVersion    int `json:"templateVersion"`
	TemplateVersionNow int `json:"templateVersionNow"`
	Approval           *struct {
		ApprovedAt string `json:"approvedAt"`
		ApprovedBy string `json:"approvedBy"`
	} `json:"approval"`
	Finish *farm.Span `json:"finish"` // nil when nobody can tell
	Tasks  struct {
		Total int `json:"total"`
		Done  int `json:"done"`
	} `json:"tasks"`
}

// JobChange is what is to be different about a job; what is not there stays as it is.
type JobChange map[string]any

// Placement is what a job waits for.
type Placement struct {
	Raw          `json:"-"`
	Job          string        `json:"job"`
	Task         string        `json:"task"`
	Why          string        `json:"why"`   // "" when it does not wait
	Split        string        `json:"split"` // whether the render is split, and why; "" as long as that is open, and where it is no question
	Agents       int           `json:"agents"`
	Fitting      int           `json:"fitting"`
	Free         int           `json:"free"`
	Requirements []Requirement `json:"requirements"`
	Nearest      *struct {
		Name  string   `json:"name"`
		Lacks []string `json:"lacks"`
	} `json:"nearest"`
	Place        *int       `json:"place"`
	PlaceAtLeast bool       `json:"placeAtLeast"`
	Start        *farm.Span `json:"start"`
	Finish       *farm.Span `json:"finish"`
}

// Requirement is one thing that is asked of a machine.
type Requirement struct {
	Kind     string `json:"kind"`
	Wants    string `json:"wants"`
	RulesOut int    `json:"rulesOut"`
}

// Task is one piece of a job's work.
type Task struct {
	ID       string          `json:"id"`
	Kind     farm.TaskKind   `json:"kind"`
	Status   farm.TaskStatus `json:"status"`
	Frames   *Frames         `json:"frames"`
	Attempt  int             `json:"attempt"`
	Failures int             `json:"failures"`
	Agent    *TaskAgent      `json:"agent"`
	Running  *Running        `json:"running"`
	Error    string          `json:"error"`
}

// Frames is a range of frames, both ends included.
type Frames struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// TaskAgent is who has or had a task.
type TaskAgent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Attempt is one lease of a task.
type Attempt struct {
	Task     string            `json:"task"`
	Attempt  int               `json:"attempt"`
	Agent    TaskAgent         `json:"agent"`
	LeasedAt string            `json:"leasedAt"`
	EndedAt  string            `json:"endedAt"`
	Outcome  farm.Outcome      `json:"outcome"` // "" while it is under way
	Class    farm.FailureClass `json:"class"`
	Message  string            `json:"message"`
}

// FarmJob gets a job as the farm sees it.
func (c *Client) FarmJob(ctx context.Context, id string) (FarmJob, error) {
	return fetch[FarmJob](ctx, c, http.MethodGet, at("/api/farm/v1/jobs/%s", id), nil, nil)
}

// ChangeJob gives a job that has not ended another place in line, or another name.
func (c *Client) ChangeJob(ctx context.Context, id string, change JobChange) (FarmJob, error) {
	return fetch[FarmJob](ctx, c, http.MethodPatch, at("/api/farm/v1/jobs/%s", id), nil, change)
}

// ApproveJob lets the rest of a job begin whose first frames somebody has looked at.
func (c *Client) ApproveJob(ctx context.Context, id string) (FarmJob, error) {
	return fetch[FarmJob](ctx, c, http.MethodPost, at("/api/farm/v1/jobs/%s/approve", id), nil, nil)
}

// RejectJob ends a job whose first frames are not what was meant.
func (c *Client) RejectJob(ctx context.Context, id, reason string) (FarmJob, error) {
	return fetch[FarmJob](ctx, c, http.MethodPost, at("/api/farm/v1/jobs/%s/reject", id), nil, map[string]string{"reason": reason})
}

// Samples lists the frames that came before the rest of a job.
func (c *Client) Samples(ctx context.Context, id string) (List[Sample], error) {
	return list[Sample](ctx, c, at("/api/farm/v1/jobs/%s/samples", id), nil)
}

// Sample is a frame that came before the rest of its job.
type Sample struct {
	Frame int    `json:"frame"`
	Size  int64  `json:"size"` // bytes
	URL   string `json:"url"`  // on the farm
}

// Placement tells what a job waits for.
func (c *Client) Placement(ctx context.Context, id string) (Placement, error) {
	return fetch[Placement](ctx, c, http.MethodGet, at("/api/farm/v1/jobs/%s/placement", id), nil, nil)
}

// Why is the sentence of Placement.
func (c *Client) Why(ctx context.Context, id string) (string, error) {
	p, err := c.Placement(ctx, id)
	return p.Why, err
}

// largestTaskPage is how many tasks, or tasks' attempts, one answer holds at most.
const largestTaskPage = 1000

// Tasks lists the tasks of a job.
func (c *Client) Tasks(ctx context.Context, job string) (List[Task], error) {
	return pages[Task](ctx, c, at("/api/farm/v1/jobs/%s/tasks", job), largestTasks(), 0)
}

// Attempts lists the attempts of a job's tasks.
func (c *Client) Attempts(ctx context.Context, job string) (List[Attempt], error) {
	return pages[Attempt](ctx, c, at("/api/farm/v1/jobs/%s/attempts", job), largestTasks(), 0)
}

func largestTasks() url.Values { return url.Values{"limit": {strconv.Itoa(largestTaskPage)}} }
