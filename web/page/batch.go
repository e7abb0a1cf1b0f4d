package page

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"overcrank/farm"
	"overcrank/farm/wording"
	"overcrank/web/language"
)

// Batch is a batch with the numbers of its jobs and, on its own page, some of them.
type Batch struct {
	farm.Batch
	Counts map[farm.JobStatus]int
	Jobs   []Job // that Filter lets through, from place From on, at most Step
	From   int
	Step   int
	First  Job // which a batch without a name is called after; empty when the farm knows it no more

	Forecast farm.BatchForecast // of a batch that has not ended

	Filter   string         // "" for all
	ByFilter map[string]int // how many jobs each filter lets through
}

// batchFilters are the filters of a batch's page, with what they are called.
var batchFilters = []struct{ name, word string }{
	{"", language.Text("All")}, {"failed", language.Text("Failed")}, {"rendering", language.Text("Rendering")}, {"waiting", language.Text("Waiting")},
	{"finished", language.Text("Finished")}, {"cancelled", language.Text("Cancelled")},
}

// address is that of a part of the batch.
func (b Batch) address(filter string, from int) string {
	query := url.Values{}
	if filter != "" {
		query.Set("state", filter)
	}
	if from > 0 {
		query.Set("from", count(from))
	}
	if len(query) == 0 {
		return "/batches/" + b.ID
	}
	return "/batches/" + b.ID + "?" + query.Encode()
}

// previews tells whether films of the batch that are shown are previews.
func (b Batch) previews() bool {
	return slices.ContainsFunc(b.Jobs, func(j Job) bool { return j.Preview && j.Status == farm.JobFinished })
}

// Title is what people call the batch: by its name, else after its first job, else by its time.
func (b Batch) Title(ctx context.Context) string {
	n := len(b.Batch.Jobs)
	switch {
	case b.Name != "":
		return b.Name
	case b.First.ID == "":
		return many(ctx, n, "%d job of %s", "%d jobs of %s", told(ctx, wording.Moment(b.CreatedAt)))
	case n <= 1:
		return b.First.Title(ctx)
	}
	return andMore(ctx, b.First.Title(ctx), n-1)
}

// Timely says whether the batch will be done when it is due; ok is false where that is no question.
func (b Batch) Timely() (s State, ok bool) {
	now, finish := b.Forecast.At, b.Forecast.Finish
	if b.DueAt.IsZero() || b.Ended() == len(b.Batch.Jobs) {
		return s, false
	}
	after := func(seconds float64) time.Time { return now.Add(time.Duration(seconds * float64(time.Second))) }
	switch {
	case now.After(b.DueAt):
		return State{language.Text("overdue"), "error"}, true
	case b.Forecast.Held:
		return State{language.Text("waits for people"), "held"}, true
	case finish == nil || finish.High <= 0 && finish.Learning:
		return State{language.Text("no forecast yet"), "waiting"}, true
	case after(finish.Low).After(b.DueAt):
		return State{language.Text("will be late"), "error"}, true
	case after(finish.High).After(b.DueAt):
		return State{language.Text("may be late"), "rendering"}, true
	}
	return State{language.Text("on time"), "finished"}, true
}

// dueField is the time at which the batch is due, in UTC, for a field.
func (b Batch) dueField() string {
	if b.DueAt.IsZero() {
		return ""
	}
	return b.DueAt.UTC().Format("2006-01-02T15:04")
}

// Ended is how many jobs do not move any more.
func (b Batch) Ended() int {
	return b.Counts[farm.JobFinished] + b.Counts[farm.JobFailed] + b.Counts[farm.JobCancelled]
}

// Waiting is how many jobs have not begun.
func (b Batch) Waiting() int { return b.Counts[farm.JobQueued] + b.Counts[farm.JobPending] }

// State is how the batch as a whole is shown.
func (b Batch) State() State {
	total := len(b.Batch.Jobs)
	switch {
	case b.Ended() < total && b.Counts[farm.JobRendering] > 0:
		return State{language.Text("rendering"), "rendering"}
	case b.Ended() < total:
		return State{language.Text("waiting"), "waiting"}
	case b.Counts[farm.JobFinished] == total:
		return State{language.Text("finished"), "finished"}
	case b.Counts[farm.JobCancelled] == total:
		return State{language.Text("cancelled"), "cancelled"}
	case b.Counts[farm.JobFinished] == 0:
		return State{language.Text("failed"), "error"}
	}
	return State{language.Text("finished, not all"), "error"}
}

// Sentence says how the batch stands.
func (b Batch) Sentence(ctx context.Context) string {
	said := []string{say(ctx, "%d of %d finished", b.Counts[farm.JobFinished], len(b.Batch.Jobs))}
	if n := b.Counts[farm.JobRendering]; n > 0 {
		said = append(said, many(ctx, n, "%d rendering", "%d rendering"))
	}
	if n := b.Waiting(); n > 0 {
		said = append(said, many(ctx, n, "%d waiting", "%d waiting"))
	}
	if n := b.Counts[farm.JobFailed]; n > 0 {
		said = append(said, many(ctx, n, "%d failed", "%d failed"))
	}
	if n := b.Counts[farm.JobCancelled]; n > 0 {
		said = append(said, many(ctx, n, "%d cancelled", "%d cancelled"))
	}
	if n := b.Total - len(b.Batch.Jobs); n > 0 {
		said = append(said, many(ctx, n, "%d refused when it was sent", "%d refused when it was sent"))
	}
	return commas(said)
}

// Outlook says how the batch stands, and when it is likely to be done.
func (b Batch) Outlook(ctx context.Context) string {
	if b.Forecast.Finish == nil {
		return b.Sentence(ctx)
	}
	return b.Sentence(ctx) + ", " + doneWords(ctx, *b.Forecast.Finish)
}

// part is a share of the batch, in percent for an attribute.
func (b Batch) part(n int) string {
	if len(b.Batch.Jobs) == 0 {
		return "0"
	}
	return strconv.FormatFloat(100*float64(n)/float64(len(b.Batch.Jobs)), 'f', 3, 64)
}

// bar is the batch as stretches of one strip: class, start and width in percent.
func (b Batch) bar() []stretch {
	var out []stretch
	at := 0
	for _, s := range []struct {
		class string
		n     int
	}{
		{"finished", b.Counts[farm.JobFinished]}, {"error", b.Counts[farm.JobFailed]},
		{"cancelled", b.Counts[farm.JobCancelled]}, {"rendering", b.Counts[farm.JobRendering]},
	} {
		if s.n > 0 {
			out = append(out, stretch{s.class, b.part(at), b.part(s.n)})
			at += s.n
		}
	}
	return out
}

type stretch struct{ Class, From, Width string }

// number is the place of a job in what the caller sent, from 1.
func (b Batch) number(j Job) int {
	for _, entry := range b.Batch.Jobs {
		if entry.ID == j.ID {
			return entry.Index + 1
		}
	}
	return 0
}

func (b Batch) last() int { return min(b.From+b.Step, b.ByFilter[b.Filter]) }
