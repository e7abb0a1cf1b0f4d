package attempt

import (
	"errors"
	"strings"

	"overcrank/agent/aerender"
	"overcrank/agent/film"
	"overcrank/agent/join"
	"overcrank/agent/parts"
	"overcrank/agent/project"
	"overcrank/agent/script"
	"overcrank/durable"
	"overcrank/farm"
)

// cause is why an attempt failed, as far as one remedy helps all jobs that failed so. Causes that lie with the machine name none: the farm
// knows which one it was.
func (t *attempt) cause(err error) farm.Cause {
	var (
		known   *failure
		asset   *script.Error
		refused *project.Refused
		engine  *aerender.Failure
		clip    *join.ClipError
	)
	switch {
	case durable.Full(err), durable.Blocked(err):
		return farm.Cause{Kind: farm.CauseDisk}
	case errors.Is(err, film.ErrNoTools):
		return farm.Cause{Kind: farm.CauseMachine}
	case errors.As(err, &known):
		return known.why()
	case errors.As(err, &asset):
		return farm.Cause{Kind: farm.CauseAsset, Subject: farm.CauseOfMessage(asset.Message).Subject}
	case errors.As(err, &refused) && strings.HasPrefix(refused.Message, "Composition '"):
		return aerender.CauseTold(refused.Message)
	case errors.As(err, &refused):
		return farm.Cause{Kind: farm.CauseTemplate}
	case errors.As(err, &engine):
		return engine.Cause
	case errors.As(err, new(*parts.Missing)), errors.As(err, new(*film.Wrong)):
		return farm.Cause{Kind: farm.CauseFrames}
	case errors.As(err, &clip):
		return farm.Cause{Kind: farm.CauseAsset, Subject: farm.CauseOfMessage(clip.Error()).Subject}
	}
	return farm.CauseOfMessage(strings.ReplaceAll(t.withoutFolders(err.Error()), t.machine.Name, "…"))
}

// why is the failure's cause: that which it names, or what its class or its words say.
func (f *failure) why() farm.Cause {
	switch {
	case f.cause.Kind != "":
		return f.cause.Tidy()
	case f.class.Consequence().BarsMachine:
		return farm.Cause{Kind: farm.CauseMachine}
	case strings.HasPrefix(f.message, "Composition '"), strings.HasPrefix(f.message, "Layer '"), strings.HasPrefix(f.message, "Asset "), strings.Contains(f.message, " (asset "):
		return aerender.CauseTold(f.message)
	}
	return farm.CauseOfMessage(f.message)
}
