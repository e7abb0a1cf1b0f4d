package coordinator

import (
	"context"
	"fmt"
	"slices"
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
	// Frames are those that are rendered again: the whole film for a take of one.
	Frames []farm.Frames
}

// RenderAgain has frames of a job rendered again. While machines share the film, these frames alone are, and what comes of them replaces what was
// there. Of a sequence that is finished they are, as a new take with these frames only, one range of them at a time. A film that has ended has no single
// frames any more: with whole the whole of it is rendered as a new take, and without it is CodeConflict. So is a job that one machine renders in one
// piece, and one of which no machine has begun these frames.
func (c *Coordinator) RenderAgain(ctx context.Context, p farm.Principal, id string, frames []farm.Frames, whole bool) (Again, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return Again{}, err
	}
	job, err := c.state.JobOf(p, id)
	if err != nil {
		return Again{}, err
	}
	if job.Status.Ended() {
		if !whole && job.Status == farm.JobFinished && job.Sequence() {
			return c.picturesAgain(ctx, p, job, frames)
		}
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
	return c.takeOf(ctx, p, job, id)
}

// picturesAgain submits some frames of a finished sequence once more, as a take of it that has only these: drawn anew, from the project as it was then.
// It stays at the farm, for where the sequence was delivered there is a whole one.
func (c *Coordinator) picturesAgain(ctx context.Context, p farm.Principal, was farm.Job, frames []farm.Frames) (Again, error) {
	first, total := was.FrameRange()
	if total > 0 {
		frames = overlapping(frames, farm.Frames{Start: first, End: first + total - 1})
	}
	if len(frames) != 1 {
		return Again{}, farm.Invalid("no frames are rendered again", farm.Field("frames", "must be one range of frames that job %s has: those of a finished sequence are rendered one range at a time", was.ID))
	}
	job, err := c.JobAgain(ctx, p, was.ID)
	if err != nil {
		return Again{}, err
	}
	job.Settings.Frames, job.Settings.DrawAll = &farm.Frames{Start: frames[0].Start, End: frames[0].End}, true
	job.Upload, job.Webhook, job.PreviewFirst, job.Approve = nil, nil, false, false
	if job.Template.ID != "" {
		t, err := c.templates.Get(ctx, p, job.Template.ID)
		if err != nil {
			return Again{}, err
		}
		if v := t.VersionFor(was); v > 0 && v != t.VersionNow() {
			job.Template.Version = v
		}
	}
	return c.takeOf(ctx, p, job, was.ID)
}

// overlapping are those of some ranges' frames that lie in another; of single frames and ranges that touch, one.
func overlapping(ranges []farm.Frames, in farm.Frames) (found []farm.Frames) {
	ranges = slices.SortedFunc(slices.Values(ranges), func(a, b farm.Frames) int { return a.Start - b.Start })
	for _, r := range ranges {
		r = farm.Frames{Start: max(r.Start, in.Start), End: min(r.End, in.End)}
		switch n := len(found); {
		case r.Count() < 1:
		case n > 0 && r.Start <= found[n-1].End+1:
			found[n-1].End = max(found[n-1].End, r.End)
		default:
			found = append(found, r)
		}
	}
	return found
}

// takeOf submits a job as a take of one with an id.
func (c *Coordinator) takeOf(ctx context.Context, p farm.Principal, job farm.Job, id string) (Again, error) {
	job, err := c.Submit(ctx, p, job)
	if err != nil {
		return Again{}, fmt.Errorf("submitting job %s once more: %w", id, err)
	}
	again := Again{Job: job, Take: true}
	if first, total := job.FrameRange(); total > 0 {
		again.Frames = []farm.Frames{{Start: first, End: first + total - 1}}
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
