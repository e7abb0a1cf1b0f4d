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
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/farm/names"
)

// Batches is what the interface asks of the farm about batches.
type Batches interface {
	public.Addresses
	Batch(ctx context.Context, p farm.Principal, id string) (farm.Batch, map[string]farm.Job, error)
	SelectBatches(ctx context.Context, p farm.Principal, f farm.BatchFilter, cursor string, limit int) (coordinator.FoundBatches, error)
	BatchPart(ctx context.Context, p farm.Principal, id string, states []farm.JobStatus, from, limit int) (coordinator.CountedBatch, []farm.Job, error)
	LabelBatch(ctx context.Context, p farm.Principal, id string, label farm.BatchLabel) error
	RetakeRows(ctx context.Context, p farm.Principal, batch string, takes []submission.Take) (submission.BatchResult, error)
	RetakeFailed(ctx context.Context, p farm.Principal, batch string) (submission.BatchResult, error)
}

// batchHandlers lists a team's batches.
type batchHandlers struct{ batches Batches }

func (h batchHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/batches", farm.ActView, h.listBatches),
		route.Get(root+"/batches/:id", farm.ActView, route.WellFormed(h.getBatch)),
		route.Patch(root+"/batches/:id", farm.ActChangeJobs, h.labelBatch),
		route.Post(root+"/batches/:id/retake", farm.ActSubmit, h.retake),
	}
}

// listBatches lists those of the team's batches that a filter selects, the newest first.
func (h batchHandlers) listBatches(c *fiber.Ctx, p farm.Principal) error {
	wrong := &input.Problems{}
	limit := input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong)
	cursor := input.QueryCursor(c, wrong)
	filter := queryBatchFilter(c, wrong)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	found, err := h.batches.SelectBatches(ctx, p, filter, cursor, limit)
	if err != nil {
		return err
	}
	answer.LinkNext(c, found.Next)
	out := make([]batchListed, len(found.Batches))
	for i, b := range found.Batches {
		stats := public.CountedStats(b.Counts)
		out[i] = batchListed{
			BatchID: b.ID, Name: answer.OrNull(b.Name), DueAt: answer.Time(b.DueAt), SubmittedBy: answer.OrNull(b.Owner(b.First)),
			Status: public.BatchStatus(stats), CreatedAt: answer.Time(b.CreatedAt), Stats: stats,
		}
	}
	return answer.OK(c, out)
}

// queryBatchFilter reads which batches are asked for.
func queryBatchFilter(c *fiber.Ctx, wrong *input.Problems) farm.BatchFilter {
	f := farm.BatchFilter{By: strings.Clone(c.Query("by")), State: farm.BatchState(strings.Clone(c.Query("state")))}
	if f.State != "" && !f.State.Known() {
		wrong.Add("state", "has to be open, failures or done, not %q", f.State)
	}
	return f
}

// batchListed is a batch in a list.
type batchListed struct {
	BatchID     string            `json:"batchId"`
	Name        *string           `json:"name"`
	DueAt       answer.Time       `json:"dueAt"`
	SubmittedBy *string           `json:"submittedBy"`
	Status      string            `json:"status"`
	CreatedAt   answer.Time       `json:"createdAt"`
	Stats       public.BatchStats `json:"stats"`
}

// getBatch answers with a batch and the jobs of its rows, as the public interface does, and with how they are called.
func (h batchHandlers) getBatch(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	batch, jobs, err := h.batches.Batch(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	counts := map[farm.JobStatus]int{}
	rows := make([]batchRow, 0, len(batch.Jobs))
	for _, entry := range batch.Jobs {
		job, known := jobs[entry.ID]
		if !known {
			continue
		}
		counts[job.Status]++
		rows = append(rows, batchRow{
			Index: entry.Index, ID: job.ID, Name: answer.OrNull(job.Name), Status: string(job.Status), OutputURL: h.batches.OutputAddress(job), Stats: *public.StatsShape(job),
		})
	}
	stats := public.CountedStats(counts)
	return answer.OK(c, batchBody{
		BatchID: batch.ID, Name: answer.OrNull(batch.Name), DueAt: answer.Time(batch.DueAt), Status: public.BatchStatus(stats), CreatedAt: answer.Time(batch.CreatedAt),
		Stats: stats, Jobs: rows,
	})
}

// batchBody is one batch.
type batchBody struct {
	BatchID   string            `json:"batchId"`
	Name      *string           `json:"name"`
	DueAt     answer.Time       `json:"dueAt"`
	Status    string            `json:"status"`
	CreatedAt answer.Time       `json:"createdAt"`
	Stats     public.BatchStats `json:"stats"`
	Jobs      []batchRow        `json:"jobs"`
}

// batchRow is the job of a batch's row.
type batchRow struct {
	Index     int             `json:"index"`
	ID        string          `json:"id"`
	Name      *string         `json:"name"`
	Status    string          `json:"status"`
	OutputURL string          `json:"outputUrl"`
	Stats     public.JobStats `json:"stats"`
}

// batchLabelBody is what a batch is called and when it is due.
type batchLabelBody struct {
	BatchID string      `json:"batchId"`
	Name    *string     `json:"name"`
	DueAt   answer.Time `json:"dueAt"`
}

// batchLabels are what a caller says of a batch; nil stays as it is.
type batchLabels struct {
	name  *string
	dueAt *time.Time
}

// labelBatch gives a batch a name and a time at which it is due, or takes them away.
func (h batchHandlers) labelBatch(c *fiber.Ctx, p farm.Principal) error {
	given, err := input.Body(c, decodeBatchLabels)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	id := c.Params("id")
	batch, _, err := h.batches.BatchPart(ctx, p, id, nil, 0, 0)
	if err != nil {
		return err
	}
	label := batch.BatchLabel
	if given.name != nil {
		label.Name = *given.name
	}
	if given.dueAt != nil {
		label.DueAt = *given.dueAt
	}
	if err := h.batches.LabelBatch(ctx, p, id, label); err != nil {
		return err
	}
	return answer.OK(c, batchLabelBody{BatchID: batch.ID, Name: answer.OrNull(label.Name), DueAt: answer.Time(label.DueAt)})
}

// decodeBatchLabels reads a name and a time; null and "" take them away.
func decodeBatchLabels(body []byte) (given batchLabels, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return given, err
	}
	o.Only("name", "dueAt")
	if o.Raw("name") != nil {
		name := strings.Join(strings.Fields(o.Text("name", input.NameLimit)), " ")
		if name != "" && !names.IsTitle(name) {
			o.Problem("name", "%s", names.TitleWords)
		}
		given.name = &name
	}
	if o.Raw("dueAt") != nil {
		at := input.Time(o, "dueAt")
		given.dueAt = &at
	}
	if given == (batchLabels{}) {
		o.Problem("name", "is missing; give name, dueAt, or both")
	}
	return given, wrong.Err()
}
