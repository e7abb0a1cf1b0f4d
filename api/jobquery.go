package api

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

const (
	listSize  = 100
	listLimit = 1000
	// offsetLimit is where counting from the first job ends and the cursor of the last answer is needed.
	offsetLimit = 10_000
)

// jobStates are the states that lists may be filtered by.
var jobStates = []farm.JobStatus{
	farm.JobQueued, farm.JobPending, farm.JobRendering, farm.JobFinished, farm.JobFailed, farm.JobCancelled,
}

// decodeJobQuery reads the query of GET /jobs.
func decodeJobQuery(c *fiber.Ctx) (q farm.JobQuery, err error) {
	wrong := &problems{}
	q = farm.JobQuery{
		States:        queryStates(c, "states", wrong),
		ExcludeStates: queryStates(c, "exclude_states", wrong),
		From:          queryTime(c, "from_date", wrong),
		To:            queryEnd(c, "to_date", wrong),
		Tags:          queryList(c, "tags"),
		Sort:          c.Query("sort"),
		Limit:         queryNumber(c, "limit", listSize, 1, listLimit, wrong),
		Cursor:        c.Query("cursor"),
	}
	q.Offset = queryNumber(c, "from", 0, 0, 1<<31-1, wrong)
	if q.Offset > offsetLimit {
		wrong.add("from", "goes up to %d; further on, follow the next address of the Link header", offsetLimit)
	}
	if q.Cursor != "" && q.Offset > 0 {
		wrong.add("from", "cannot be given together with cursor")
	}
	if sorts := []string{"", "oldest_first", "newest_first", "priority", "random"}; !slices.Contains(sorts, q.Sort) {
		wrong.add("sort", "has to be one of oldest_first, newest_first, priority, random, not %q", q.Sort)
	}
	if !q.From.IsZero() && !q.To.IsZero() && q.To.Before(q.From) {
		wrong.add("to_date", "lies before from_date")
	}
	if len(q.Tags) > tagLimit {
		wrong.add("tags", "names %d tags; %d are allowed", len(q.Tags), tagLimit)
	}
	if q.Sort == "random" {
		q.Seed = rand.Uint64()
	}
	q.Minimal = queryFlag(c, "minimal", wrong)
	return q, wrong.err()
}

// queryList reads a comma list. Many clients write a list as a key that is repeated, with or without brackets behind it.
func queryList(c *fiber.Ctx, key string) []string {
	var out []string
	for _, written := range []string{key, key + "[]"} {
		for _, value := range c.Context().QueryArgs().PeekMulti(written) {
			out = append(out, splitList(string(value))...)
		}
	}
	return out
}

func queryStates(c *fiber.Ctx, key string, wrong *problems) []farm.JobStatus {
	var out []farm.JobStatus
	for _, name := range queryList(c, key) {
		if !slices.Contains(jobStates, farm.JobStatus(name)) {
			wrong.add(key, "knows no state %q; the states are queued, pending, render:dorender, finished, error, manually_cancelled", name)
			continue
		}
		out = append(out, farm.JobStatus(name))
	}
	return out
}

// queryTime reads a moment, or a day as its first moment.
func queryTime(c *fiber.Ctx, key string, wrong *problems) time.Time {
	at, _ := queryPeriod(c, key, wrong)
	return at
}

// queryEnd reads a moment to its end, which is that of the millisecond that answers show; a day to its last moment.
func queryEnd(c *fiber.Ctx, key string, wrong *problems) time.Time {
	at, length := queryPeriod(c, key, wrong)
	if at.IsZero() {
		return at
	}
	return at.Add(length - 1)
}

// queryMoments are the ways to write a moment; one that names no zone is in UTC, as forms and nodes of workflow programs give it.
var queryMoments = []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime}

// queryPeriod reads when what a text names begins, and how long it lasts.
func queryPeriod(c *fiber.Ctx, key string, wrong *problems) (time.Time, time.Duration) {
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
	wrong.add(key, "has to be a time such as 2026-11-21T18:30:00Z, or a day such as 2026-11-21, not %q", text)
	return time.Time{}, 0
}

func queryFlag(c *fiber.Ctx, key string, wrong *problems) bool {
	switch text := c.Query(key); text {
	case "", "false":
		return false
	case "true":
		return true
	default:
		wrong.add(key, "has to be true or false, not %q", text)
		return false
	}
}

// linkNext names the page behind the one that c asks for, if there is one.
func linkNext(c *fiber.Ctx, cursor string) {
	if cursor != "" {
		c.Set(fiber.HeaderLink, fmt.Sprintf(`<%s>; rel="next"`, nextPage(c, cursor)))
	}
}

// recordCursor is the form of a cursor that is the id of a job, a batch, a machine or a task.
var recordCursor = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}(\.[0-9]{1,9})?$`)

// queryCursor reads the cursor of a list that goes by ids.
func queryCursor(c *fiber.Ctx, wrong *problems) string {
	cursor := c.Query("cursor")
	if cursor != "" && !recordCursor.MatchString(cursor) {
		wrong.add("cursor", "was not given out by this farm; begin again without it")
	}
	return cursor
}

// nextPage is the address of the page behind the one that c asks for.
func nextPage(c *fiber.Ctx, cursor string) string {
	query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		query = url.Values{}
	}
	query.Del("from")
	query.Set("cursor", cursor)
	return c.Path() + "?" + query.Encode()
}
