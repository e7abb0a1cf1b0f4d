package coordinator

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// maxJobLog is how large a job's log may grow, in bytes.
const maxJobLog = 64 << 20

func logKey(job string) string { return "logs/" + job + ".log" }

// note adds lines to a job's log. A log that cannot be written holds nobody's render up.
func (c *Coordinator) note(job string, lines ...string) {
	if len(lines) == 0 {
		return
	}
	lock := c.logLock(job)
	lock.Lock()
	defer lock.Unlock()
	if obj, err := c.files.Stat(ctx, logKey(job)); err == nil && obj.Size > maxJobLog {
		return
	}
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.Map(printable, line))
		text.WriteByte('\n')
	}
	if text.Len() > maxJobLog {
		return
	}
	if _, err := c.files.Append(logKey(job), []byte(text.String())); err != nil {
		c.log.Warn("writing a job's log", "job", job, "error", err)
	}
}

// logLock is held while a job's log is written, so that no line is lost while the log is written anew. Jobs share locks.
func (c *Coordinator) logLock(job string) *sync.Mutex {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(job)) // a hash takes everything
	return &c.logLocks[hash.Sum32()%uint32(len(c.logLocks))]
}

// printable keeps one line one line, and terminals that show it safe.
func printable(r rune) rune {
	if r != '\t' && (r < ' ' || r == 0x7f) {
		return ' '
	}
	return r
}

// JobLog opens the log of a job; CodeNotFound when it has none yet.
func (c *Coordinator) JobLog(ctx context.Context, p farm.Principal, id string) (*File, error) {
	job, err := c.teamJob(p, id)
	if err != nil {
		return nil, err
	}
	r, err := c.files.Open(ctx, logKey(job.ID))
	if errors.Is(err, files.ErrNotFound) {
		return nil, farm.Errorf(farm.CodeNotFound, "job %s has no log yet: no machine has begun it", job.ID)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the log of job %s: %w", job.ID, err)
	}
	return file(r, job.ID+".log", ""), nil
}
