package farmv1

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// Failures is what the interface asks of the farm about jobs that failed and need somebody.
type Failures interface {
	Failures(ctx context.Context, p farm.Principal) ([]farm.FailureGroup, error)
	FailuresOf(ctx context.Context, p farm.Principal, cause farm.Cause, before string, limit int) (jobs []farm.Job, next string, err error)
	RetryFailures(ctx context.Context, p farm.Principal, cause farm.Cause, src string) (submission.BatchResult, error)
	SettleFailures(ctx context.Context, p farm.Principal, ids []string) error
}

// failureHandlers answers for jobs that failed and need somebody.
type failureHandlers struct{ failures Failures }

func (h failureHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/failures", farm.ActView, h.list),
		route.Get(root+"/failures/jobs", farm.ActView, h.jobs),
		route.Post(root+"/failures/retry", farm.ActSubmit, h.retry),
		route.Post(root+"/failures/dismiss", farm.ActChangeJobs, h.dismiss),
	}
}

// failureBody is all open failures of one cause.
type failureBody struct {
	Cause     string         `json:"cause"`
	Kind      farm.CauseKind `json:"kind"`
	Subject   *string        `json:"subject"`
	Count     int            `json:"count"`
	FirstAt   answer.Time    `json:"firstAt"`
	LastAt    answer.Time    `json:"lastAt"`
	LatestJob string         `json:"latestJob"`
	AgentID   *string        `json:"agentId"`
}

func failureShape(g farm.FailureGroup) failureBody {
	return failureBody{
		Cause: g.Cause.Key(), Kind: g.Cause.Kind, Subject: answer.OrNull(g.Cause.Subject), Count: g.Count,
		FirstAt: answer.Time(g.First), LastAt: answer.Time(g.Last), LatestJob: g.Latest.Job, AgentID: answer.OrNull(g.Latest.Agent),
	}
}

// failedJobBody is a job among those of one cause.
type failedJobBody struct {
	ID          string      `json:"id"`
	Name        *string     `json:"name"`
	By          *string     `json:"by"`
	TemplateID  *string     `json:"templateId"`
	Composition *string     `json:"composition"`
	Error       string      `json:"error"`
	FailedAt    answer.Time `json:"failedAt"`
}

func failedJobShape(j farm.Job) failedJobBody {
	return failedJobBody{
		ID: j.ID, Name: answer.OrNull(j.Name), By: answer.OrNull(j.SubmittedBy), TemplateID: answer.OrNull(j.Template.ID),
		Composition: answer.OrNull(j.Template.Composition), Error: j.Error, FailedAt: answer.Time(j.ErrorAt),
	}
}

// retriedBody is what came of submitting jobs again.
type retriedBody struct {
	BatchID string `json:"batchId"`
	Jobs    int    `json:"jobs"`
	Refused int    `json:"refused"`
}

func (h failureHandlers) list(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	groups, err := h.failures.Failures(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(groups, failureShape))
}

// jobs lists the jobs of one cause, the latest first.
func (h failureHandlers) jobs(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong)
	cursor := input.QueryCursor(c, wrong)
	cause, known := farm.CauseOf(c.Query("cause"))
	if !known {
		wrong.Add("cause", "has to be one that the list of failures gives")
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	jobs, next, err := h.failures.FailuresOf(ctx, p, cause, cursor, limit)
	if err != nil {
		return err
	}
	answer.LinkNext(c, next)
	return answer.OK(c, answer.Each(jobs, failedJobShape))
}

// causeOrder is what somebody wants done with failures.
type causeOrder struct {
	cause farm.Cause
	file  string // address of a kept file, "" for none
}

func (h failureHandlers) retry(c *fiber.Ctx, p farm.Principal) error {
	order, err := input.Body(c, decodeRetry)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	result, err := h.failures.RetryFailures(ctx, p, order.cause, order.file)
	if err != nil {
		return err
	}
	return answer.Created(c, retriedBody{BatchID: result.Batch.ID, Jobs: len(result.Jobs), Refused: len(result.Errs)})
}

// addressLimit bounds the address of a kept file, in bytes.
const addressLimit = 100

func decodeRetry(body []byte) (causeOrder, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return causeOrder{}, err
	}
	o.Only("cause", "file")
	order := causeOrder{cause: readCause(o), file: o.Text("file", addressLimit)}
	if sha256, kept := strings.CutPrefix(order.file, farm.KeptScheme); order.file != "" && (!kept || !farm.IsSHA256(sha256)) {
		o.Problem("file", "has to be the address of a kept file, farm:// and its SHA-256")
	}
	return order, wrong.Err()
}

// readCause reads the cause that a request is about.
func readCause(o input.Object) farm.Cause {
	key := o.NeedText("cause", 2*farm.MostCauseSubject)
	cause, known := farm.CauseOf(key)
	if key != "" && !known {
		o.Problem("cause", "has to be one that the list of failures gives")
	}
	return cause
}

// dismiss takes jobs off the list.
func (h failureHandlers) dismiss(c *fiber.Ctx, p farm.Principal) error {
	ids, err := input.JobIDs(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if err := h.failures.SettleFailures(ctx, p, ids); err != nil {
		return err
	}
	return answer.None(c)
}
