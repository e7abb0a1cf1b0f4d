package dispatch

import (
	"context"
	"errors"
	"fmt"

	"overcrank/coordinator/files"
	"overcrank/coordinator/forecast"
	"overcrank/coordinator/ranges"
	"overcrank/coordinator/results"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// keepDone keeps the frames that an attempt had rendered when it ended, so that the next one goes on behind them. finished is
// true when they were all that was asked for. What cannot be kept is rendered again: that is no reason for an attempt to end
// otherwise than it would. The error says that the storage could not be asked, and that the report has to come again.
func (l *leader) keepDone(ctx context.Context, task farm.Task, job farm.Job, m wire.Failed) (finished bool, err error) {
	if m.Done == nil || m.Output == nil {
		return false, nil
	}
	task, kept, err := l.keepPieces(ctx, task, job, m.Attempt, m.Before, m.Measured)
	if err == nil && task.Kind == farm.TaskRender && task.Part && *m.Done == *task.Frames {
		_, err = l.finishPart(ctx, task, job, wire.Finished{Attempt: m.Attempt, Output: *m.Output, Warnings: m.Warnings, Measured: m.Measured})
		if errors.Is(err, files.ErrUnreachable) {
			return false, err
		}
		return err == nil, nil
	}
	if err == nil {
		if _, err = l.keepFrames(ctx, task, job, m.Attempt, wire.Piece{Frames: *m.Done, Output: *m.Output}, m.Measured); err == nil {
			kept = append(kept, *m.Done)
		}
	}
	if errors.Is(err, files.ErrUnreachable) {
		return false, err
	}
	if err != nil {
		l.d.log.Warn("frames that were done are not kept", "task", m.Task, "attempt", m.Attempt.Attempt, "error", err)
	}
	if len(kept) > 0 {
		l.d.logs.Note(job.ID, fmt.Sprintf("the frames %d to %d are done and kept", kept[0].Start, kept[len(kept)-1].End))
	}
	return false, nil
}

// keepPieces keeps frames that came ahead of a report, and gives the task as it is behind them. kept are those that are kept, also
// after an error.
func (l *leader) keepPieces(
	ctx context.Context, task farm.Task, job farm.Job, at wire.Attempt, pieces []wire.Piece, measured farm.Measured,
) (_ farm.Task, kept []farm.Frames, err error) {
	for _, piece := range pieces {
		if task, err = l.keepFrames(ctx, task, job, at, piece, measured); err != nil {
			return task, kept, err
		}
		kept = append(kept, piece.Frames)
	}
	return task, kept, nil
}

// keepFrames keeps the first of the frames that are left of a leased task, and gives the task as it is then.
func (l *leader) keepFrames(
	ctx context.Context, task farm.Task, job farm.Job, at wire.Attempt, piece wire.Piece, measured farm.Measured,
) (farm.Task, error) {
	if task.Kind != farm.TaskRender || piece.Output.Frames != piece.Frames.Count() {
		return task, farm.Errorf(farm.CodeInvalid, "the machine reports %d frames as %d to %d", piece.Output.Frames, piece.Frames.Start, piece.Frames.End)
	}
	if err := l.d.results.Arrived(ctx, at, piece.Output.FileRef); err != nil {
		return task, err
	}
	out := piece.Output
	out.Key, out.Remote = results.AttemptKey(at, out.SHA256), nil
	cmd := command.KeepFrames{Task: task.ID, Attempt: task.Attempt, Frames: piece.Frames, Output: out, At: l.d.state.Now()}
	if !task.Part {
		whole, err := l.d.wholeOf(ctx, job)
		if err != nil {
			return task, err
		}
		cmd.Whole, cmd.Parting = &whole, partingOf(job, l.hasAfterEffects())
		// What drew these draws the others, also when the farm has got its first After Effects meanwhile, or lost its last.
		if kind := measured.Kind(); kind == farm.EngineEmbedded || kind == farm.EngineAfterEffects {
			cmd.Engine = kind
		}
	}
	res, err := l.d.state.Apply(ctx, cmd)
	for _, t := range res.Tasks {
		if err == nil && t.ID == task.ID {
			task = t
		}
	}
	return task, err
}

// wholeOf is the range of frames of a job that may be put together from parts; CodeInvalid for another.
func (d *Dispatcher) wholeOf(ctx context.Context, job farm.Job) (farm.Frames, error) {
	var template *farm.Template
	err := d.state.View(func(tx *raftstore.Tx) (err error) {
		template, err = templateOf(tx, job)
		return err
	})
	if err != nil {
		return farm.Frames{}, err
	}
	frames, known, err := d.templates.FramesOf(ctx, job, template)
	if err == nil && (!known || !ranges.MayPart(job, template)) {
		err = farm.Errorf(farm.CodeInvalid, "job %s cannot be put together from parts", job.ID)
	}
	return frames, err
}

// partingOf says how the parts of a job are made.
func partingOf(job farm.Job, farmHasAfterEffects bool) command.Parting {
	return command.Parting{Engine: forecast.EngineOf(job, farmHasAfterEffects), Sound: job.Settings.Type != "image"}
}

// redo has frames rendered again that an assemble task found missing or damaged; CodeInvalid when it named none of its own.
func (l *leader) redo(ctx context.Context, job farm.Job, m wire.Failed) error {
	_, err := l.d.state.Apply(ctx, command.RedoFrames{
		Task: m.Task, Attempt: m.Attempt.Attempt, Bad: m.Bad, Barred: m.Class.Consequence().BarsMachine, Warnings: m.Warnings, At: l.d.state.Now(),
	})
	if err == nil {
		l.d.logs.Note(job.ID, fmt.Sprintf("attempt %d found frames missing or damaged; they are rendered again", m.Attempt.Attempt))
	}
	return err
}
