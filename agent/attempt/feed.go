package attempt

import (
	"math"
	"sync"
	"time"

	"overcrank/agent/control"
	"overcrank/farm/redact"
	"overcrank/farm/wire"
)

// maxLines bounds the log lines that wait while the farm cannot be reached; the oldest go first, and it is said.
const maxLines = 20000

// The phases of an attempt, with the part of the progress bar that each has. Nearly all of it is of frames: how long the rest takes in
// comparison nobody knows, and of a film of hours it is nothing.
var phases = map[string]struct{ from, to float64 }{
	"fetching": {0, 0.3}, "preparing": {0.3, 0.5}, "joining": {0.5, 99}, "assembling": {0.5, 99}, "rendering": {0.5, 99},
	"checking": {99, 99.2}, "uploading": {99.2, 100}, "waiting to upload": {99.2, 100},
}

// Feed holds what an attempt tells while it runs, until the link takes it: lines of the log, and progress. It is safe for concurrent use.
type Feed struct {
	attempt wire.Attempt
	job     string
	name    string // of the job
	since   time.Time
	wake    func() // the link

	mu       sync.Mutex
	secrets  *redact.Redactor
	lines    []string
	lost     int
	progress wire.Progress
	fresh    bool
	picture  []byte // small, of the latest frame, JPEG
	next     func() // when the next frame is done; nil when nobody waits for it
}

// NewFeed is the feed of a lease. It calls wake when there is something to take.
func NewFeed(lease wire.Lease, wake func()) *Feed {
	return &Feed{attempt: lease.Attempt, job: lease.Job, name: lease.JobName, since: time.Now(), wake: wake}
}

// Work is what people at the machine are told of the attempt.
func (f *Feed) Work() control.Work {
	f.mu.Lock()
	defer f.mu.Unlock()
	return control.Work{Job: f.job, Name: f.name, Task: f.attempt.Task, Phase: f.progress.Phase, Progress: f.progress.Percent, Since: f.since, Picture: f.picture != nil}
}

// Picture is a small JPEG of the latest frame, nil when there is none.
func (f *Feed) Picture() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.picture
}

// show keeps a picture for people at the machine.
func (f *Feed) show(picture []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.picture = picture
}

// conceal takes the values of secrets out of all lines from now on.
func (f *Feed) conceal(secrets *redact.Redactor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.secrets = secrets
}

// log adds a line to the job's log.
func (f *Feed) log(line string) {
	f.mu.Lock()
	line = f.secrets.String(line) // before it is cut
	if len(f.lines) >= maxLines {
		f.lines = f.lines[1:]
		f.lost++
	}
	f.lines = append(f.lines, wire.CutLine(line))
	f.mu.Unlock()
	f.wake()
}

// at tells that a phase is done to a fraction of 1. The percentage never falls.
func (f *Feed) at(phase string, fraction float64, frame, total int) {
	span := phases[phase]
	percent := math.Round(100*(span.from+(span.to-span.from)*min(1, max(0, fraction)))) / 100
	f.mu.Lock()
	next := f.next
	f.next = nil
	was := f.progress
	f.progress = wire.Progress{
		Attempt: f.attempt, Phase: phase,
		Percent: max(percent, was.Percent), Frame: max(frame, was.Frame), FramesTotal: max(total, was.FramesTotal),
	}
	f.fresh = true
	f.mu.Unlock()
	f.wake()
	if next != nil {
		next()
	}
}

// AtNextFrame calls do when the next frame is done: at once when no frame is in work, and at the latest after patience.
func (f *Feed) AtNextFrame(do func(), patience time.Duration) {
	f.mu.Lock()
	rendering := f.progress.Phase == "rendering"
	if rendering {
		late := time.AfterFunc(patience, do)
		f.next = func() { late.Stop(); do() }
	}
	f.mu.Unlock()
	if !rendering {
		do()
	}
}

// What goes into one message. The bytes leave room for what JSON escapes, which makes six of one.
const (
	batchLines = wire.MaxLines
	batchBytes = wire.MaxMessage / 8
)

// Take gives the messages that wait, in order.
func (f *Feed) Take() []wire.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []wire.Message
	if f.lost > 0 {
		lost := []string{"agent: older lines were lost while the farm could not be reached"}
		out = append(out, wire.Message{Log: &wire.Log{Attempt: f.attempt, Lines: lost}})
		f.lost = 0
	}
	for len(f.lines) > 0 {
		n, size := 0, 0
		for n < min(batchLines, len(f.lines)) && size < batchBytes-wire.MaxLine {
			size += len(f.lines[n])
			n++
		}
		out = append(out, wire.Message{Log: &wire.Log{Attempt: f.attempt, Lines: f.lines[:n:n]}})
		f.lines = f.lines[n:]
	}
	if f.fresh {
		progress := f.progress
		out = append(out, wire.Message{Progress: &progress})
		f.fresh = false
	}
	return out
}

// PutBack returns lines that could not be sent.
func (f *Feed) PutBack(lines []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(append([]string{}, lines...), f.lines...)
}
