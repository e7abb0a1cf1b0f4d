package coordinator

import (
	"cmp"
	"context"
	"strings"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// ApproveJob lets a job go on that waits for somebody to have looked at its first pictures. To approve twice changes nothing.
func (c *Coordinator) ApproveJob(ctx context.Context, p farm.Principal, id string) (farm.Job, error) {
	if err := p.May(farm.ActApprove); err != nil {
		return farm.Job{}, err
	}
	return c.decide(ctx, p, command.DecideJob{ID: id})
}

// maxReason is how long the reason of a rejection may be, in bytes.
const maxReason = 2000

// RejectJob ends a job that waits for approval in error: the error tells who rejected it and why.
func (c *Coordinator) RejectJob(ctx context.Context, p farm.Principal, id, reason string) (farm.Job, error) {
	if err := p.May(farm.ActApprove); err != nil {
		return farm.Job{}, err
	}
	if len(reason) > maxReason {
		return farm.Job{}, farm.Invalid("the reason is too long", farm.Field("reason", "may have %d bytes", maxReason))
	}
	why := "Rejected by " + cmp.Or(p.Name, "somebody")
	if reason = strings.TrimSpace(reason); reason != "" {
		why += ": " + reason
	}
	return c.decide(ctx, p, command.DecideJob{ID: id, Reject: true, Reason: why})
}

func (c *Coordinator) decide(ctx context.Context, p farm.Principal, cmd command.DecideJob) (farm.Job, error) {
	if ids, before, err := state.Made(ctx); before || err != nil {
		jobs, err := c.jobsByID(ids, err)
		if err != nil {
			return farm.Job{}, err
		}
		return jobs[0], nil
	}
	if _, err := c.state.JobOf(p, cmd.ID); err != nil {
		return farm.Job{}, err
	}
	cmd.Team, cmd.By, cmd.At = p.Team, p.Name, c.cfg.Now()
	res, err := c.state.Apply(ctx, cmd)
	if err != nil {
		return farm.Job{}, err
	}
	if !cmd.Reject {
		c.logs.Note(cmd.ID, "approved by "+p.Name)
	}
	return res.Jobs[0], nil
}
