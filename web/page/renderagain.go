package page

import (
	"context"
	"encoding/json"
	"time"

	"github.com/a-h/templ"

	"overcrank/farm"
)

// FramesAgain is what was typed into the form that has frames rendered again, and refused.
type FramesAgain struct{ Typed, Problem string }

// wrong is what the form has against what was typed.
func (f FramesAgain) wrong() Wrong { return Wrong{"again": f.Problem} }

// described names what says how frames are typed, and what is wrong with those that were.
func (f FramesAgain) described() string {
	if f.Problem == "" {
		return "again-how"
	}
	return wrongID("again") + " again-how"
}

// FrameRun is frames that one machine rendered one after the other, or is at.
type FrameRun struct {
	First int    `json:"first"`
	Last  int    `json:"last"`
	Words string `json:"words"` // who rendered them, and how long a frame took
}

// runsOf are a job's frames by who rendered them, the earlier first: of two that hold the same frame the later one counts. A job in one piece
// has the frames from first to last.
func runsOf(ctx context.Context, tasks map[string]farm.Task, attempts []farm.AttemptRecord, first, last int) (runs []FrameRun) {
	for _, a := range attempts {
		task, known := tasks[a.Task]
		if !known || task.Kind != farm.TaskRender {
			continue
		}
		words := runWords(ctx, a)
		switch {
		case task.Part:
			for _, p := range task.Parts {
				if p.Attempt == a.Number {
					runs = append(runs, FrameRun{p.Frames.Start, p.Frames.End, words})
				}
			}
			if a.EndedAt.IsZero() && task.Frames != nil {
				runs = append(runs, FrameRun{task.Frames.Start, task.Frames.End, words})
			}
		case last >= first && (a.EndedAt.IsZero() || a.Outcome == farm.OutcomeDone):
			runs = append(runs, FrameRun{first, last, words})
		}
	}
	return runs
}

// runWords say who rendered frames, and how long each took on average. What single frames took is FrameTimes.
func runWords(ctx context.Context, a farm.AttemptRecord) string {
	name := agentWord(ctx, a.AgentName, a.Agent)
	each, known := frameTime(ctx, a.Measured)
	switch {
	case a.EndedAt.IsZero():
		return say(ctx, "%s renders it now", name)
	case !known:
		return say(ctx, "Rendered by %s", name)
	}
	return say(ctx, "Rendered by %s, %s per frame on average", name, each)
}

// frameTime is how long a frame took on average.
func frameTime(ctx context.Context, m farm.Measured) (words string, known bool) {
	if m.Frames < 1 || m.FrameSeconds <= 0 {
		return "", false
	}
	return inWords(ctx).Duration(time.Duration(m.FrameSeconds / float64(m.Frames) * float64(time.Second)).Round(time.Millisecond)), true
}

// runsData is what the page's script says of the frame under the pointer.
func (t Timeline) runsData() templ.Attributes {
	if len(t.Runs) == 0 {
		return nil
	}
	data, err := json.Marshal(t.Runs)
	if err != nil {
		return nil // numbers and words: it cannot be
	}
	return templ.Attributes{"data-runs": string(data)}
}

// renderable says what can be rendered again of a job: single frames, the whole film, or nothing.
func (v JobView) renderable(s Shell) (frames, whole bool) {
	_, total := v.Frames()
	if total < 2 || v.Join || v.Settings.Type == "aep" || !s.Can(farm.ActChangeJobs) {
		return false, false
	}
	if v.Status == farm.JobFinished {
		may := s.Can(farm.ActSubmit) && !v.Forgotten()
		return may && v.Sequence(), may
	}
	return v.Shared && v.Status == farm.JobRendering, false
}

// inOnePiece says whether one machine renders a film whose frames could be picked otherwise.
func (v JobView) inOnePiece() bool {
	_, total := v.Frames()
	return total > 1 && !v.Join && v.Settings.Type != "aep" && v.Status == farm.JobRendering && !v.Shared
}

// wholeCost says what it costs to render the whole film again.
func (v JobView) wholeCost(ctx context.Context) string {
	_, total := v.Frames()
	took := v.RenderTime()
	switch {
	case v.Sequence() && took > 0:
		return say(ctx, "The whole sequence is rendered again, as a new take: %d frames, which took %s last time.", total, inWords(ctx).Duration(took))
	case v.Sequence():
		return say(ctx, "The whole sequence is rendered again, as a new take: %d frames.", total)
	case took > 0:
		return say(ctx, "The farm no longer keeps the single frames of this job. Rendering any of them again takes a new render of the whole film, as a new take: %d frames, which took %s last time.",
			total, inWords(ctx).Duration(took))
	}
	return say(ctx, "The farm no longer keeps the single frames of this job. Rendering any of them again takes a new render of the whole film, as a new take: %d frames.", total)
}
