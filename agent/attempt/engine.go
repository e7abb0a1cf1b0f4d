package attempt

import (
	"fmt"
	"strings"

	"overcrank/farm"
)

// engineMajor is the major version behind a name of the public interface: ae2025 is 25. ok is false for other names.
func engineMajor(name string) (major string, ok bool) {
	year, found := strings.CutPrefix(name, "ae20")
	return year, found && len(year) == 2
}

// chooseEngine picks the engine for a job: the one it asks for; for a preview the embedded one, which is free at once;
// else the newest After Effects, and the embedded engine where there is none. A kind that is not "" is the only one that counts.
func chooseEngine(inv farm.Inventory, wanted, kind string, preview bool) (farm.EngineInfo, bool) {
	major, named := engineMajor(wanted)
	named = named && kind != farm.EngineEmbedded
	for _, e := range inv.Engines {
		if e.Kind != farm.EngineAfterEffects || kind == farm.EngineEmbedded {
			continue
		}
		if named && strings.SplitN(e.Version, ".", 2)[0] == major || !named && !preview {
			return e, true
		}
	}
	if named || kind == farm.EngineAfterEffects {
		return farm.EngineInfo{}, false
	}
	for _, e := range inv.Engines {
		if e.Kind == farm.EngineEmbedded {
			return e, true
		}
	}
	return farm.EngineInfo{}, false
}

// chooseEngine picks the engine for the lease among those of this machine.
func (t *attempt) chooseEngine() (farm.EngineInfo, error) {
	engine, ok := chooseEngine(t.machine.Inventory(), t.lease.Settings.Engine, t.lease.Engine, t.lease.Preview)
	if !ok {
		return engine, &failure{message: fmt.Sprintf("This machine has no engine '%s'", t.lease.Settings.Engine), retry: true, class: farm.FailureWorker, cause: farm.Cause{Kind: farm.CauseEngine, Subject: t.lease.Settings.Engine + " is not installed"}}
	}
	name := "After Effects"
	if engine.Kind == farm.EngineEmbedded {
		name = embeddedWords
	}
	t.watch.engine(engine)
	t.say("rendering with %s %s", name, engine.Version)
	return engine, nil
}
