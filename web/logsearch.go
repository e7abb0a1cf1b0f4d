package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/page"
)

const (
	// searchedAtOnce is how much of a log one request searches, in bytes; its answer says where the next goes on.
	searchedAtOnce = 8 << 20
	// hitsAtOnce is how many lines one request finds at most.
	hitsAtOnce = 100
	// longestQuery bounds what is searched for, in bytes.
	longestQuery = 200
	// partSize is how much of a log is shown at once that is not its end, in bytes.
	partSize = 128 << 10
	// hitText is how much of a line that was found is shown, in bytes.
	hitText = 400
)

// logLine is a line of a log with the offset at which it begins.
type logLine struct {
	At    int64  `json:"at"`
	Text  string `json:"text"`
	Class string `json:"class"`
}

// logFound is what one request found in a log.
type logFound struct {
	Hits []logLine `json:"hits"`
	Next int64     `json:"next"` // where the search goes on
	More bool      `json:"more"`
}

// searchLog finds lines of a job's log that hold some words, whatever their case: GET /jobs/:id/log/search?q=&from=.
func (s *server) searchLog(c *fiber.Ctx, p farm.Principal) error {
	query := strings.ToLower(strings.TrimSpace(strings.ToValidUTF8(strings.Clone(c.Query("q")), "")))
	from, err := offsetOf(c.Query("from"))
	if err != nil {
		return err
	}
	if query == "" || len(query) > longestQuery {
		return farm.Invalid("nothing was searched for", farm.Field("q", "has to be 1 to %d bytes", longestQuery))
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	f, err := s.farm.jobs.JobLog(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := searchLines(ctx, f, f.Size, from, query)
	if err != nil {
		return err
	}
	return c.JSON(found)
}

// searchLines searches from an offset on, a piece at a time. Only lines that are found are kept: a stretch of a log is a hundred thousand of others.
func searchLines(ctx context.Context, in io.ReadSeeker, size, from int64, query string) (found logFound, err error) {
	found = logFound{Hits: []logLine{}, Next: from}
	window, fold := make([]byte, logWindow), folder{}
	for found.Next < size && found.Next-from < searchedAtOnce && len(found.Hits) < hitsAtOnce {
		if err := ctx.Err(); err != nil {
			return found, err
		}
		raw, err := wholeLines(in, found.Next, window)
		if err != nil {
			return found, err
		}
		if len(raw) == 0 { // a line that is being written
			return found, nil
		}
		for line := range bytes.Lines(raw) {
			if bytes.Contains(fold.lower(line), []byte(query)) {
				if len(found.Hits) == hitsAtOnce {
					break
				}
				found.Hits = append(found.Hits, hitOf(line, found.Next))
			}
			found.Next += int64(len(line))
		}
	}
	found.More = found.Next < size
	return found, nil
}

// hitOf is a line that was found, cut where it is long.
func hitOf(line []byte, at int64) logLine {
	hit := lineOf(line, at)
	if len(hit.Text) > hitText {
		hit.Text = strings.ToValidUTF8(hit.Text[:hitText], "") + "…"
	}
	return hit
}

func lineOf(line []byte, at int64) logLine {
	text := strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\uFFFD")
	return logLine{At: at, Text: text, Class: page.LogClass(text)}
}

// folder turns lines into small letters, those of ASCII without new memory for each.
type folder struct{ line []byte }

// lower gives a line in small letters, which are there until it is asked again.
func (f *folder) lower(line []byte) []byte {
	f.line = f.line[:0]
	for _, c := range line {
		switch {
		case c >= utf8.RuneSelf:
			return bytes.ToLower(line)
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		f.line = append(f.line, c)
	}
	return f.line
}

// wholeLines reads as many whole lines of a log as fit, from the beginning of one on; of a line that is longer a piece.
func wholeLines(in io.ReadSeeker, at int64, window []byte) ([]byte, error) {
	if _, err := in.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	n, err := io.ReadFull(in, window)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	end := bytes.LastIndexByte(window[:n], '\n') + 1
	if end == 0 && n == len(window) {
		end = n
	}
	return window[:end], nil
}

// linesAt reads whole lines of a log from the beginning of one on, and where the next begins.
func linesAt(in io.ReadSeeker, at int64, most int) (lines []logLine, next int64, err error) {
	raw, err := wholeLines(in, at, make([]byte, most))
	if err != nil {
		return nil, at, err
	}
	for line := range bytes.Lines(raw) {
		lines = append(lines, lineOf(line, at))
		at += int64(len(line))
	}
	return lines, at, nil
}

// logPart gives the lines of a job's log around an offset: GET /jobs/:id/log/part?at=.
func (s *server) logPart(c *fiber.Ctx, p farm.Principal) error {
	at, err := offsetOf(c.Query("at"))
	if err != nil {
		return err
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	f, err := s.farm.jobs.JobLog(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	defer f.Close()
	at = min(at, max(0, f.Size-1))
	begin, err := lineBegin(f, at)
	if err != nil {
		return err
	}
	lines, next, err := linesAt(f, begin, partSize)
	if err != nil {
		return err
	}
	if lines == nil {
		lines = []logLine{}
	}
	return c.JSON(fiber.Map{"lines": lines, "from": begin, "next": next, "size": f.Size})
}

// longestLine is how far back the beginning of a line is looked for, in bytes; agents cut theirs at a quarter of that.
const longestLine = 16 << 10

// lineBegin is where the line begins that an offset is in.
func lineBegin(in io.ReadSeeker, at int64) (int64, error) {
	back := max(0, at-longestLine)
	if _, err := in.Seek(back, io.SeekStart); err != nil {
		return 0, err
	}
	before := make([]byte, at-back)
	if _, err := io.ReadFull(in, before); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		return back + int64(i) + 1, nil
	}
	return back, nil
}

// offsetOf reads an offset, 0 when there is none.
func offsetOf(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, farm.Invalid("the log cannot be read there", farm.Field("from", "is not an offset in bytes"))
	}
	return n, nil
}

// readJobLog reads the end of a job's log in its sections, and where the lines behind it will begin.
func (s *server) readJobLog(ctx context.Context, p farm.Principal, id string) (page.Log, logTail, error) {
	tail, err := s.readLog(ctx, p, id, 0)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return page.Log{Job: id}, tail, nil
	}
	if err != nil {
		return page.Log{Job: id}, tail, err
	}
	job, err := s.farm.jobs.Job(ctx, p, id)
	if err != nil {
		return page.Log{Job: id}, tail, err
	}
	attempts, _, err := s.farm.tasks.JobAttempts(ctx, p, id, "", timelineTasks)
	if err != nil {
		return page.Log{Job: id}, tail, err
	}
	log := page.LogOf(ctx, job, tail.lines, tail.from, attempts)
	log.Next = tail.next
	if job.Status == farm.JobFailed {
		log.Cure, err = s.cureOf(ctx, p, id)
	}
	return log, tail, err
}

// cureOf is what helps against the failure of a job; nil when nobody has to deal with it any more.
func (s *server) cureOf(ctx context.Context, p farm.Principal, id string) (*page.FailureGroup, error) {
	failure, err := s.farm.failures.Failure(ctx, p, id)
	if farm.CodeOf(err) == farm.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	groups, err := s.farm.failures.Failures(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if g.Cause == failure.Cause {
			f, err := s.dressFailures(ctx, p, g)
			return &f, err
		}
	}
	return nil, nil
}
