//go:build linux

package chaos_test

import (
	"encoding/json"
	"os"
	"sync"
	"time"
)

// kind is what a request asks for.
type kind string

const (
	opSubmit   kind = "submit"
	opRead     kind = "read"
	opPriority kind = "priority"
	opRelease  kind = "release"
	opCancel   kind = "cancel"
	opSweep    kind = "cancel batch" // which takes those of its jobs along that can be cancelled
)

// outcome is what is known of a request when it is over.
type outcome string

const (
	done    outcome = "done"
	refused outcome = "refused" // by the rules: it changed nothing, and that depended on how the job stood
	absent  outcome = "absent"  // the farm said that there is no such job
	unsure  outcome = "unsure"  // it may have been carried out, may be later, or never
)

// statuses of jobs, in the words of the interface.
const (
	pending   = "pending"
	queued    = "queued"
	rendering = "render:dorender"
	finished  = "finished"
	failed    = "error"
	cancelled = "manually_cancelled"
)

func hasEnded(status string) bool {
	return status == finished || status == failed || status == cancelled
}

// asked is what a client wanted of a job.
type asked struct {
	Kind     kind `json:"kind"`
	Priority int  `json:"priority,omitempty"` // to set, or submitted with
	Held     bool `json:"held,omitempty"`     // submitted so
	Force    bool `json:"force,omitempty"`
	Nested   bool `json:"nested,omitempty"` // submitted as a part of another job, with which it may be cancelled
}

// answer is what came of it.
type answer struct {
	Outcome outcome `json:"outcome"`
	// What a read saw; Detailed says that priority and hold were told.
	Status   string `json:"status,omitempty"`
	Detailed bool   `json:"detailed,omitempty"`
	Priority int    `json:"priority,omitempty"`
	Held     bool   `json:"held,omitempty"`
}

// operation is one request about one job.
type operation struct {
	Client int           `json:"client"`
	Job    string        `json:"job"`
	Node   string        `json:"node"`
	Asked  asked         `json:"asked"`
	Answer answer        `json:"answer"`
	Call   time.Duration `json:"call"`   // since the beginning
	Return time.Duration `json:"return"` // of one that is unsure, when its client gave up
	Note   string        `json:"note,omitempty"`
}

// history is all that clients did. Its methods may be called at the same time.
type history struct {
	began time.Time

	mu  sync.Mutex
	ops []operation
}

func (h *history) now() time.Duration { return time.Since(h.began) }

func (h *history) add(ops ...operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, ops...)
}

// byJob is the history of each job.
func (h *history) byJob() map[string][]operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	jobs := map[string][]operation{}
	for _, op := range h.ops {
		jobs[op.Job] = append(jobs[op.Job], op)
	}
	return jobs
}

// write keeps the history as lines of JSON.
func (h *history) write(path string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for _, op := range h.ops {
		if err := lines.Encode(op); err != nil {
			return err
		}
	}
	return file.Close()
}
