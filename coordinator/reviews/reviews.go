// Package reviews lets people look at results and say what they think of them: those of the team, and others by links that need no account.
package reviews

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Passwords keeps and checks the passwords of links.
type Passwords interface {
	HashPassword(ctx context.Context, password string) (hash string, err error)
	// CheckPassword is CodeUnauthorized for a wrong one and CodeRateLimited for too many tries at an account, or from an address.
	CheckPassword(ctx context.Context, account, address, password, hash string) error
}

// Config says what reviews work with.
type Config struct {
	Passwords Passwords
	// Derive makes keys of the farm's key: what shows that a browser knew a password is signed with one.
	Derive        func(purpose string, size int) []byte
	PublicAddress func() string
	// Note adds a line to the log of a job.
	Note   func(job string, lines ...string)
	Logger *slog.Logger
}

// Reviews are those of all teams. Its methods may be called at the same time.
type Reviews struct {
	state *state.State
	cfg   Config
}

// New makes the reviews of a state.
func New(s *state.State, cfg Config) *Reviews { return &Reviews{state: s, cfg: cfg} }

// Take is a job as it is looked at: one of those that were submitted one after the other for the same thing.
type Take struct {
	farm.Job
	Number int // from 1 on
}

// Waits says whether the take is waiting for somebody to approve its first frames.
func (t Take) Waits() bool { return t.Approve && t.ApprovedAt.IsZero() && !t.Status.Ended() }

// Viewable says whether there is something to look at: a result that the farm keeps, or frames that came before the rest.
func (t Take) Viewable() bool { return t.Kept() || t.Waits() }

// Kept says whether the farm has the result of the take.
func (t Take) Kept() bool {
	out := t.Output
	return t.Status == farm.JobFinished && out != nil && out.Remote == nil && out.GoneAt.IsZero()
}

// takes reads the takes of a job; without all, the job alone.
func takes(tx *raftstore.Tx, id string, all bool) ([]Take, error) {
	job, err := tx.JobHead(id)
	if err != nil {
		return nil, err
	}
	jobs, err := tx.Takes(job)
	if err != nil {
		return nil, err
	}
	var list []Take
	for i, j := range jobs {
		take := Take{Job: j, Number: i + 1}
		if j.ID == id || all && j.Team == job.Team && take.Viewable() {
			list = append(list, take)
		}
	}
	return list, nil
}

// hashOf is what is kept of a code.
func hashOf(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// Said is what somebody says about a take.
type Said struct {
	Take    string // the job
	Name    string // of whom has no account
	Text    string
	Frame   *int
	Drawing []farm.Stroke
	Verdict farm.Verdict
	Inside  bool // for the team alone
}

func (s Said) remark(id, team string, at time.Time) farm.Remark {
	return farm.Remark{
		ID: id, Team: team, Job: s.Take, Name: s.Name, Text: s.Text, Frame: s.Frame, Drawing: s.Drawing, Verdict: s.Verdict, Inside: s.Inside, At: at,
	}
}
