package attempt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"overcrank/agent/adobe"
	"overcrank/agent/aerender"
	"overcrank/agent/farmclient"
	"overcrank/agent/film"
	"overcrank/agent/join"
	"overcrank/agent/parts"
	"overcrank/agent/project"
	"overcrank/agent/script"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// Why the context of an attempt ends before its work does. There are also *Cancelled and *GivenBack.
var (
	ErrDropped  = errors.New("the attempt is no longer this machine's")
	ErrStopping = errors.New("the agent is stopping")
)

// Cancelled is the farm's wish that an attempt ends.
type Cancelled struct{ Reason string }

func (c *Cancelled) Error() string { return "cancelled: " + c.Reason }

// GivenBack ends an attempt that the machine gives back to the farm, which costs the job none of its attempts.
type GivenBack struct {
	Reason  string // for the job's log
	Patient bool   // nobody waits for the machine: handing over the frames that are done may take longer
}

func (g *GivenBack) Error() string { return "given back: " + g.Reason }

// GivenBackBy is the reason in a job's log for a task that a machine gave back.
func GivenBackBy(machine, reason string) string {
	return fmt.Sprintf("Given back by machine '%s': %s", machine, reason)
}

// Refused is the report of a lease that was not begun. The farm gives the task to another machine, or to this one later.
func Refused(at wire.Attempt, reason string) End {
	return End{Report: wire.Message{Failed: &wire.Failed{Attempt: at, Message: reason, Retry: true, Cancelled: true}}}
}

// End is how an attempt ended.
type End struct {
	// Report is for the farm: Finished or Failed. It is empty where the farm does not ask for one any more (Dropped), or does not get it
	// yet (Continues).
	Report    wire.Message
	Dropped   bool    // the attempt is no longer this machine's
	Continues bool    // the result is still on its way to storage, in this process or after the next start; Upload.End gives the report
	Upload    *Upload // whose files are to be removed once the report is on disk; nil for none
}

// end is where every attempt ends: finished, failed, cancelled, given back, dropped, or with an upload that goes on. It hands over frames
// that are done, removes the attempt's folder, and makes the report.
func (t *attempt) end(ctx context.Context, done delivered, err error) End {
	continues := errors.As(err, new(*leftSlot))
	if cause := context.Cause(ctx); cause != nil && !continues {
		err = cause
	}
	switch {
	case continues, err != nil && done.upload != nil && done.upload.resumable():
		t.removeFolder()
		t.log.Info("the attempt has rendered; its upload goes on")
		return End{Continues: true}
	case errors.Is(err, ErrDropped):
		t.removeFolder()
		t.log.Info("attempt dropped")
		return End{Dropped: true, Upload: done.upload}
	case err != nil:
		failed := t.fail(ctx, done, err)
		if failed.Cancelled {
			t.log.Info("attempt stopped", "message", failed.Message, "given back", failed.Retry)
		} else {
			t.log.Warn("attempt failed", "message", failed.Message, "retry", failed.Retry)
		}
		return End{Report: wire.Message{Failed: &failed}, Upload: done.upload}
	}
	t.removeFolder()
	t.machine.Readiness.Sufficed()
	t.log.Info("attempt finished")
	finished := wire.Finished{Attempt: t.lease.Attempt, Output: done.output, Warnings: t.warned(), Measured: t.watch.measured(), Before: done.before}
	return End{Report: wire.Message{Finished: &finished}, Upload: done.upload}
}

// fail ends an attempt without a result.
func (t *attempt) fail(ctx context.Context, done delivered, err error) wire.Failed {
	lacking := done.upload == nil && t.lacks(err)
	failed := t.explain(err)
	failed.Attempt, failed.Message, failed.Warnings, failed.Measured = t.lease.Attempt, t.secrets.String(failed.Message), t.warned(), t.watch.measured()
	failed.Cause = t.cause(err)
	failed.Cause.Subject = t.secrets.String(failed.Cause.Subject)
	t.say("%s", failed.Message)
	if done.frames != nil && !errors.As(err, new(*Cancelled)) {
		done.frames.handOverDone(ctx, err, &failed)
	}
	t.removeFolder()
	// Only without the attempt's own files can be seen whether the machine lacked something, or the task is too large for it. In the first
	// case another machine, or this one when it is ready again, begins as if nothing had been.
	if lacking && t.machine.Readiness.Lacked(ctx, time.Now()) {
		failed.Message, failed.Cancelled, failed.Retry = GivenBackBy(t.machine.Name, t.machine.Readiness.Why()), true, true
	}
	return failed
}

// lacks tells whether an attempt failed while the machine lacked what every task needs, whatever an engine or ffmpeg made of that.
func (t *attempt) lacks(err error) bool {
	if ended(err) {
		return false
	}
	t.machine.Readiness.Look()
	return t.machine.Readiness.Why() != "" || durable.Full(err) || durable.Blocked(err)
}

// ended tells whether somebody ended the attempt, so that it did not fail by itself.
func ended(err error) bool {
	return errors.As(err, new(*Cancelled)) || errors.As(err, new(*GivenBack)) || errors.As(err, new(*adobe.InUseError)) || errors.As(err, new(*aerender.GoneError)) || errors.Is(err, ErrStopping)
}

// failure is an attempt's end in words for whoever submitted the job.
type failure struct {
	message string
	retry   bool              // another machine might do better
	class   farm.FailureClass // "" where retry says it all
	cause   farm.Cause        // the zero Cause where message says it all
	err     error
}

func (f *failure) Error() string { return f.message }

func (f *failure) Unwrap() error { return f.err }

// explain words what an attempt ended with for whoever submitted the job, and says whether to try again.
func (t *attempt) explain(err error) wire.Failed {
	machine := t.machine.Name
	lacking := func(format string) wire.Failed {
		return wire.Failed{Message: fmt.Sprintf(format, machine), Retry: true, Class: farm.FailureWorker}
	}
	var (
		stopped  *Cancelled
		back     *GivenBack
		inUse    *adobe.InUseError
		gone     *aerender.GoneError
		known    *failure
		asset    *script.Error
		refused  *project.Refused
		engine   *aerender.Failure
		wrong    *film.Wrong
		clip     *join.ClipError
		noAnswer *farmclient.StatusError
		missing  *parts.Missing
	)
	switch {
	case errors.As(err, &stopped):
		return wire.Failed{Message: stopped.Reason, Cancelled: true}
	case errors.As(err, &back):
		return wire.Failed{Message: back.Reason, Cancelled: true, Retry: true}
	case errors.As(err, &inUse):
		return wire.Failed{Message: GivenBackBy(machine, inUse.Error()), Cancelled: true, Retry: true}
	case errors.As(err, &gone):
		return wire.Failed{Message: GivenBackBy(machine, gone.Error()), Cancelled: true, Retry: true}
	case errors.Is(err, ErrStopping):
		return wire.Failed{Message: "The agent was stopped", Cancelled: true, Retry: true}
	case durable.Full(err):
		return lacking("Render failed: the disk of machine '%s' is full")
	case durable.Blocked(err):
		return lacking("Render failed: the disk of machine '%s' takes no writes")
	case errors.Is(err, film.ErrNoTools):
		return lacking("Render failed: ffmpeg and ffprobe are not installed on machine '%s', or not in its PATH")
	case errors.As(err, &known):
		return wire.Failed{Message: known.message, Retry: known.retry, Class: known.class}
	case errors.As(err, &asset):
		return wire.Failed{Message: asset.Error()}
	case errors.As(err, &refused):
		return wire.Failed{Message: refused.Message}
	case errors.As(err, &engine):
		return wire.Failed{Message: engine.Message, Retry: engine.Class != farm.FailureDeterministic, Class: engine.Class}
	case errors.As(err, &missing):
		return wire.Failed{Message: "Render failed: " + missing.Error(), Retry: true, Bad: missing.Frames}
	case errors.As(err, &clip):
		return wire.Failed{Message: clip.Error()}
	case errors.As(err, &wrong):
		return wire.Failed{Message: "Render failed: " + wrong.Message, Retry: true}
	case errors.As(err, &noAnswer):
		return wire.Failed{Message: "Render failed: " + err.Error(), Retry: true}
	}
	t.log.Error("the attempt failed for a reason that lies with this machine", "error", err)
	return wire.Failed{Message: fmt.Sprintf("Render failed on machine '%s': %v", machine, t.withoutFolders(err.Error())), Retry: true}
}
