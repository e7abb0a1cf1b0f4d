package dispatch

import (
	"cmp"

	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore/command"
)

// causeOf is why an attempt failed, from what its agent reports. Agents of older releases do not say; then the class and the words do.
func causeOf(task farm.Task, job farm.Job, m wire.Failed) farm.Cause {
	cause := m.Cause.Tidy()
	class := cmp.Or(m.Class, farm.FailureTransient)
	switch {
	case cause.Kind != "":
	case class == farm.FailureLicence:
		cause.Kind = farm.CauseLicence
	case class.Consequence().BarsMachine:
		cause.Kind = farm.CauseMachine
	default:
		cause = farm.CauseOfMessage(m.Message)
	}
	if cause.Kind.OfMachine() {
		cause.Subject = task.Agent
		return cause
	}
	return causeIn(job, cause)
}

// causeIn is a cause as it may be told of a job.
func causeIn(job farm.Job, cause farm.Cause) farm.Cause {
	switch {
	case cause.Kind == farm.CauseTemplate && cause.Subject == "":
		cause.Subject = job.Template.ID
	case job.Private:
		cause.Subject = ""
	}
	return cause
}

// causeOfLease is why no lease for a job could be put together.
func causeOfLease(job farm.Job, err error) farm.Cause { return causeIn(job, farm.CauseOfError(err)) }

// keptCause is a cause as the state takes it: none while coordinators of an older release would lose it.
func (l *leader) keptCause(cause farm.Cause) farm.Cause {
	if l.d.cluster.Level() < command.FailuresLevel {
		return farm.Cause{}
	}
	return cause
}
