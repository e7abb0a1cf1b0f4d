package forecast

import (
	"overcrank/coordinator/ranges"
	"overcrank/farm"
)

// Job is what is known of a job that has not ended.
type Job struct {
	Job      farm.Job
	Template *farm.Template
	Tasks    []farm.Task
	Timings  Timings
	Machines map[string]farm.Timing // as Timings.Render, by machine
	Frames   int                    // number of frames; 0 when unknown
	Whole    farm.Frames            // the same as a range; empty when unknown
	Leases   map[string]Lease       // by task
	Free     int                    // free slots of the farm
	Online   int                    // connected machines
	Split    farm.SplitPolicy
}

// Lease is a machine's progress with a task.
type Lease struct {
	Agent   string
	Elapsed float64 // seconds
	Reached float64 // 0..1
	// Told says that the agent reports phases: progress before the frames have a pace is not progress in frames.
	Told bool
	// Paced says that the pace of frames is known: they took Took seconds from the share From to Reached.
	Paced      bool
	From, Took float64 // 0..1, seconds
}

// pace returns which share of the task was done in how many seconds; ok is false when that says nothing about its frames.
func (l Lease) pace() (share, took float64, ok bool) {
	if l.Told {
		return l.Reached - l.From, l.Took, l.Paced && l.Reached > l.From && l.Took > 0
	}
	return l.Reached, l.Elapsed, l.Reached > 0 && l.Elapsed > 0
}

// Left estimates how long it takes until a job that has begun is done. While nothing is known only Learning is set.
func (j Job) Left() farm.Span {
	cost, known := j.cost()
	if !known {
		return farm.Span{Learning: true}
	}
	return Span(cost, !Learned(j.Timings.Render))
}

// cost sums what is left of the job, stage by stage; known is false when there is nothing to estimate from.
func (j *Job) cost() (total Cost, known bool) {
	if !j.learn() {
		return total, false
	}
	stages := map[int]bool{}
	for _, t := range j.Tasks {
		if stages[t.Stage] || t.Status.Ended() {
			continue
		}
		stages[t.Stage] = true
		total = total.Add(j.stage(t.Stage))
	}
	return total, len(stages) > 0
}

// learn finds the time of a frame, from measurements or else from the progress of the job's machines; false when neither tells.
func (j *Job) learn() bool {
	if j.Timings.Render.Frame > 0 && j.Frames > 0 {
		return true
	}
	for _, t := range j.Tasks {
		l, leased := j.Leases[t.ID]
		share, took, paced := l.pace()
		if frames := float64(j.framesOf(t)) * share; leased && paced && t.Kind == farm.TaskRender && frames >= 1 {
			j.Timings.Render = farm.Timing{Count: 1, Frame: int64(took * 1e6 / frames)}
			j.Timings.Render.Spread = j.Timings.Render.Frame / 4
			return true
		}
	}
	return false
}

// framesOf is how many frames a task renders in all.
func (j *Job) framesOf(t farm.Task) int {
	switch {
	case t.Frames != nil:
		return t.Frames.Count()
	case t.Kind == farm.TaskSample:
		return max(len(t.Stills), 3)
	default:
		return j.Frames
	}
}

// stage is what the open tasks of a stage cost.
func (j *Job) stage(stage int) Cost {
	var running, waiting []Cost
	for _, t := range j.Tasks {
		if t.Stage != stage || t.Status.Ended() {
			continue
		}
		cost := j.task(t)
		if l, leased := j.Leases[t.ID]; leased {
			running = append(running, j.leftOf(t, l, cost))
		} else {
			waiting = append(waiting, cost)
		}
	}
	machines := len(running) + min(j.Free, len(waiting))
	if most := j.Job.MaxMachines; most > 0 {
		machines = min(machines, most)
	}
	return Done(running, waiting, machines)
}

// Assumptions for work that was never measured, in seconds.
var (
	soundCost         = Cost{Low: 0.1, High: 3}
	assembleCost      = Cost{Low: 0.2, High: 3}
	assembleFrameCost = Cost{Low: 0.001, High: 0.03}
)

// task is what a task costs from its beginning.
func (j *Job) task(t farm.Task) Cost {
	timing := j.Timings.Render
	if l, leased := j.Leases[t.ID]; leased {
		if own := j.Machines[l.Agent]; own.Frame > 0 {
			timing = own
		}
	}
	start, frames := Start(timing), float64(j.framesOf(t))
	switch t.Kind {
	case farm.TaskAssemble:
		if j.Timings.Assemble.Frame > 0 {
			return Frame(j.Timings.Assemble).Times(frames)
		}
		return assembleCost.Add(assembleFrameCost.Times(frames))
	case farm.TaskSound:
		return start.Add(soundCost)
	}
	cost := start.Add(Frame(timing).Times(frames))
	if _, leased := j.Leases[t.ID]; !leased && ranges.MaySplit(t, j.Job, j.Template) {
		cost.Low = min(cost.Low, j.ifSplit(start, timing))
	}
	return cost
}

// ifSplit is the least that the whole render takes if every connected machine takes part.
func (j *Job) ifSplit(start Cost, timing farm.Timing) float64 {
	plan := ranges.Decide(ranges.Work{
		Frames: j.Whole, Machines: j.Online, Frame: j.Timings.Frame(), Start: j.Timings.Start(), Assemble: j.Timings.AssembleFrame(), Policy: j.Split,
	}).Ranges
	if j.Whole.Count() < 2 || len(plan) == 0 {
		return Frame(timing).Times(float64(j.Frames)).Low
	}
	var waiting []Cost
	for _, r := range plan {
		waiting = append(waiting, start.Add(Frame(timing).Times(float64(r.Count()))))
	}
	return Done(nil, waiting, j.Online).Low
}

// leftOf is what is left of a leased task.
func (j *Job) leftOf(t farm.Task, l Lease, cost Cost) Cost {
	const (
		telling       = 0.05 // share of a task from which on its own pace is used
		tellingFrames = 100  // or this many frames, of a long one
		behindFrames  = 0.01 // share of the progress bar without frames
	)
	share, took, paced := l.pace()
	if l.Reached >= 1 {
		return Cost{High: cost.High / 20}
	}
	if !paced || l.Reached < telling && share*float64(j.framesOf(t)) < tellingFrames {
		return Cost{Low: max(cost.Low-l.Elapsed, 0), High: max(cost.High-l.Elapsed/2, cost.Low/2)}
	}
	rest := 1 - l.Reached
	if l.Told {
		rest = max(rest-behindFrames, 0)
	}
	live := Live(took, share/(share+rest))
	if j.Timings.Render.Count <= 1 {
		return live
	}
	return live.Add(cost.Times(1 - l.Reached)).Times(0.5)
}
