package coordinator

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Again is what it came to that frames of a job are rendered again.
type Again struct {
	// Job renders them: the job itself or, when it had ended, a new take of it.
	Job  farm.Job
	Take bool
	// Frames are those that are rendered again: the whole film for a take.
	Frames []farm.Frames
}

// RenderAgain has frames of a job rendered again. While machines share the film, these frames alone are, and what comes of them replaces what was
// there. A job that has ended has no single frames any more: with whole the whole film is rendered as a new take of it, and without it is
// CodeConflict. So is a job that one machine renders in one piece, and one of which no machine has begun these frames.
func (c *Coordinator) RenderAgain(ctx context.Context, p farm.Principal, id string, frames []farm.Frames, whole bool) (Again, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return Again{}, err
	}
	job, err := c.state.JobOf(p, id)
	if err != nil {
		return Again{}, err
	}
	if job.Status.Ended() {
		if !whole {
			return Again{}, farm.Errorf(farm.CodeConflict, "job %s has ended, and its single frames are no longer kept; its whole film can be rendered as a new take (whole)", id)
		}
		return c.takeAgain(ctx, p, id)
	}
	if ids, before, err := state.Made(ctx); before || err != nil {
		jobs, err := c.jobsByID(ids, err)
		if err != nil {
			return Again{}, err
		}
		return Again{Job: jobs[0], Frames: frames}, nil
	}
	res, err := c.state.Apply(ctx, command.RenderAgain{Team: p.Team, ID: id, Frames: frames, At: c.cfg.Now()})
	if err != nil {
		return Again{}, err
	}
	again := Again{Job: res.Jobs[0]}
	for _, t := range res.Tasks {
		if t.Kind == farm.TaskRender && t.Frames != nil {
			again.Frames = append(again.Frames, *t.Frames)
		}
	}
	c.logs.Note(id, p.Name+" has frames rendered again: "+framesListed(again.Frames))
	return again, nil
}

// takeAgain submits a job that has ended once more, as a take of it.
func (c *Coordinator) takeAgain(ctx context.Context, p farm.Principal, id string) (Again, error) {
	job, err := c.JobAgain(ctx, p, id)
	if err != nil {
		return Again{}, err
	}
	if job, err = c.Submit(ctx, p, job); err != nil {
		return Again{}, fmt.Errorf("submitting job %s once more: %w", id, err)
	}
	again := Again{Job: job, Take: true}
	if job.FramesTotal > 0 {
		again.Frames = []farm.Frames{{Start: job.FirstFrame, End: job.FirstFrame + job.FramesTotal - 1}}
	}
	return again, nil
}

// framesListed names ranges of frames for a line of a log, the first ten of them.
func framesListed(ranges []farm.Frames) string {
	const most = 10
	var names []string
	for i, r := range ranges {
		switch {
		case i == most:
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more ranges", len(ranges)-most)
		case r.Start == r.End:
			names = append(names, strconv.Itoa(r.Start))
		default:
			names = append(names, fmt.Sprintf("%d–%d", r.Start, r.End))
		}
	}
	return strings.Join(names, ", ")
}
