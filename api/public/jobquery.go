package public

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/input"
	"overcrank/farm"
)

const (
	// offsetLimit is where counting from the first job ends and the cursor of the last answer is needed.
	offsetLimit = 10_000
)

// JobStates are the states that lists may be filtered by.
var JobStates = []farm.JobStatus{
	farm.JobQueued, farm.JobPending, farm.JobRendering, farm.JobFinished, farm.JobFailed, farm.JobCancelled,
}

// decodeJobQuery reads the query of GET /jobs.
func decodeJobQuery(c *fiber.Ctx) (q farm.JobQuery, err error) {
	wrong := &input.Problems{}
	q = farm.JobQuery{
		States:        queryStates(c, "states", wrong),
		ExcludeStates: queryStates(c, "exclude_states", wrong),
		From:          queryTime(c, "from_date", wrong),
		To:            queryEnd(c, "to_date", wrong),
		Tags:          input.QueryList(c, "tags"),
		Project:       c.Query("project"),
		Sort:          c.Query("sort"),
		Limit:         input.QueryNumber(c, "limit", input.ListSize, 1, input.ListLimit, wrong),
		Cursor:        c.Query("cursor"),
	}
	q.Offset = input.QueryNumber(c, "from", 0, 0, 1<<31-1, wrong)
	if q.Offset > offsetLimit {
		wrong.Add("from", "goes up to %d; further on, follow the next address of the Link header", offsetLimit)
	}
	if q.Cursor != "" && q.Offset > 0 {
		wrong.Add("from", "cannot be given together with cursor")
	}
	if sorts := []string{"", "oldest_first", "newest_first", "priority", "random"}; !slices.Contains(sorts, q.Sort) {
		wrong.Add("sort", "has to be one of oldest_first, newest_first, priority, random, not %q", q.Sort)
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		wrong.Add("to_date", "lies before from_date")
	}
	if len(q.Tags) > input.TagLimit {
		wrong.Add("tags", "names %d tags; %d are allowed", len(q.Tags), input.TagLimit)
	}
	if q.Sort == "random" {
		q.Seed = rand.Uint64()
	}
	q.Minimal = input.QueryFlag(c, "minimal", wrong)
	return q, wrong.Err()
}

func queryStates(c *fiber.Ctx, key string, wrong *input.Problems) []farm.JobStatus {
	var out []farm.JobStatus
	for _, name := range input.QueryList(c, key) {
		if !slices.Contains(JobStates, farm.JobStatus(name)) {
			wrong.Add(key, "knows no state %q; the states are queued, pending, render:dorender, finished, error, manually_cancelled", name)
			continue
		}
		out = append(out, farm.JobStatus(name))
	}
	return out
}

// queryTime reads a moment, or a day as its first moment.
func queryTime(c *fiber.Ctx, key string, wrong *input.Problems) time.Time {
	at, _ := queryPeriod(c, key, wrong)
	return at
}

// queryEnd reads a moment to its end, which is that of the millisecond that answers show; a day to its last moment.
func queryEnd(c *fiber.Ctx, key string, wrong *input.Problems) time.Time {
	at, length := queryPeriod(c, key, wrong)
	if at.IsZero() {
		return at
	}
	return at.Add(length - 1)
}

// queryMoments are the ways to write a moment; one that names no zone is in UTC, as forms and nodes of workflow programs give it.
var queryMoments = []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime}

// queryPeriod reads when what a text names begins, and how long it lasts.
func queryPeriod(c *fiber.Ctx, key string, wrong *input.Problems) (time.Time, time.Duration) {
	text := c.Query(key)
	if text == "" {
		return time.Time{}, 0
	}
	// A plus sign that nobody escaped comes as a space.
	for _, written := range []string{text, strings.Replace(text, " ", "+", 1)} {
		for _, layout := range queryMoments {
			if t, err := time.Parse(layout, written); err == nil {
				return t.UTC().Truncate(time.Millisecond), time.Millisecond
			}
		}
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, 24 * time.Hour
	}
	wrong.Add(key, "has to be a time such as 2026-11-21T18:30:00Z, or a day such as 2026-11-21, not %q", text)
	return time.Time{}, 0
}
