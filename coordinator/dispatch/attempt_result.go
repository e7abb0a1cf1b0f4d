package dispatch

import (
	"context"
	"fmt"

	"overcrank/coordinator/files"
	"overcrank/coordinator/results"
	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// arrived checks that the result which an agent reports is where the job wants it: what the store got under this attempt,
// or what the job's upload asks for.
func (d *Dispatcher) arrived(ctx context.Context, job farm.Job, m wire.Finished) error {
	if job.Upload == nil && m.Output.Remote == nil {
		return d.results.Arrived(ctx, m.Attempt, m.Output.FileRef)
	}
	if _, err := files.BlobKey(m.Output.SHA256); err != nil {
		return results.ErrNoHash
	}
	return delivered(job, m.Output.Remote)
}

// delivered compares where an agent says it put a result with where the job wants it.
func delivered(job farm.Job, to *farm.RemoteObject) error {
	if to == nil {
		return farm.Errorf(farm.CodeInvalid, "Upload failed: the machine's agent is too old to upload results; update it")
	}
	if job.Upload != nil {
		want, err := job.Upload.Object(job.RemoteName())
		want.InHost = to.InHost // which only the storage can tell
		if err == nil && *to == want {
			return nil
		}
	}
	return farm.Errorf(farm.CodeInvalid, "Upload failed: the machine put the result elsewhere than the job asks for")
}

// engineWarning tells of a job that asked for an After Effects and was rendered by a machine without any.
func (d *Dispatcher) engineWarning(job farm.Job, agent string) []string {
	if job.Settings.Engine == "" || job.Preview {
		return nil
	}
	var a farm.Agent
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		a, err = tx.Agent(agent)
		return err
	})
	if err != nil || schedule.HasAfterEffects(a.Inventory) {
		return nil
	}
	return []string{fmt.Sprintf("rendered by the embedded engine: this farm has no After Effects, and the job asks for %s", job.Settings.Engine)}
}

// partOutput is what the state keeps of a part that has arrived under an attempt; CodeInvalid when it has not, or is not what
// was asked for. Of sound without any, and of pictures, which lie apart, the state keeps nothing.
func (d *Dispatcher) partOutput(ctx context.Context, task farm.Task, m wire.Finished) (farm.OutputRef, error) {
	out := m.Output
	switch {
	case task.Kind == farm.TaskSound && !out.Audio:
		return farm.OutputRef{}, nil
	case task.Kind == farm.TaskRender && out.Frames != task.Frames.Count():
		return out, farm.Errorf(farm.CodeInvalid, "Render failed: %d of the frames %d to %d were rendered", out.Frames, task.Frames.Start, task.Frames.End)
	}
	if err := d.results.Arrived(ctx, m.Attempt, out.FileRef); err != nil {
		return out, err
	}
	if task.Kind == farm.TaskSample {
		return farm.OutputRef{}, d.results.KeepSamples(ctx, task, results.AttemptKey(m.Attempt, out.SHA256))
	}
	out.Key, out.Remote = results.AttemptKey(m.Attempt, out.SHA256), nil
	return out, nil
}

func partWords(task farm.Task, out farm.OutputRef) string {
	switch {
	case task.Kind == farm.TaskSample:
		return "the pictures to look at first are there"
	case task.Kind == farm.TaskSound && out.SHA256 == "":
		return "there is no sound"
	case task.Kind == farm.TaskSound:
		return "the sound is there"
	default:
		return fmt.Sprintf("the frames %d to %d are there", task.Frames.Start, task.Frames.End)
	}
}
