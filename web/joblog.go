package web

import (
	"bytes"
	"context"
	"io"
	"strings"

	"overcrank/farm"
)

// logWindow is how much of a log is read at a time, in bytes; of a longer one a page begins with the end.
const logWindow = 256 << 10

// logTail is a stretch of a log.
type logTail struct {
	lines []string
	from  int64 // offset of the first line
	next  int64 // offset behind the lines
	more  bool  // more can be read from there now
	other bool  // the log ends before the offset that was asked for: it is not the one that was read up to there
}

// readLog reads whole lines of a job's log from an offset on; from 0, the last ones.
func (s *server) readLog(ctx context.Context, p farm.Principal, id string, from int64) (logTail, error) {
	f, err := s.farm.jobs.JobLog(ctx, p, id)
	if err != nil {
		return logTail{next: from}, err
	}
	defer f.Close()
	if from > f.Size {
		return logTail{other: true}, nil
	}
	start := from
	if from == 0 {
		start = max(0, f.Size-logWindow)
	}
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return logTail{next: from}, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, logWindow))
	if err != nil {
		return logTail{next: from}, err
	}
	tail := cutLines(raw, start > 0 && from == 0)
	tail.next += start
	tail.from += start
	tail.more = len(raw) == logWindow && tail.next > from && tail.next < f.Size
	return tail, nil
}

// cutLines cuts a stretch of a log into its whole lines; inside tells that it begins within a line, which is left out.
// A line that fills the whole window is cut where the window ends.
func cutLines(raw []byte, inside bool) logTail {
	end := bytes.LastIndexByte(raw, '\n') + 1
	if end == 0 && len(raw) == logWindow {
		end = len(raw)
	}
	tail := logTail{next: int64(end)}
	body := raw[:end]
	if i := bytes.IndexByte(body, '\n'); inside && i >= 0 {
		body = body[i+1:]
		tail.from = int64(i + 1)
	}
	for line := range bytes.Lines(body) {
		tail.lines = append(tail.lines, strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\uFFFD"))
	}
	return tail
}
