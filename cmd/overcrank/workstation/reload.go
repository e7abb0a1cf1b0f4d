package workstation

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"sync"
	"syscall"
	"time"

	"overcrank/agent"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/folders"
	"overcrank/cmd/overcrank/process"
)

// settingsEvery is how often the file of settings is checked for changes.
const settingsEvery = 2 * time.Second

// followSettings reads the agent's settings again when their file or a policy changes, and on SIGHUP. It sends settings that a running agent can change
// on changes; for the others it logs that they take effect at the next start. stop ends it.
func followSettings(ctx context.Context, now Settings, program process.Program, logger *slog.Logger) (changes <-chan agent.Manners, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	f := &settingsFollower{now: now, log: logger, program: program, path: folders.Config("agent"), out: make(chan agent.Manners)}
	if now.ConfigFile != "" {
		f.path = now.ConfigFile
	}
	f.seen = f.state()
	var following sync.WaitGroup
	following.Go(func() { f.run(ctx) })
	return f.out, func() {
		cancel()
		following.Wait()
	}
}

type settingsFollower struct {
	now     Settings
	log     *slog.Logger
	program process.Program
	path    string
	seen    settingsStamp
	out     chan agent.Manners
}

// settingsStamp changes when the settings may have changed.
type settingsStamp struct {
	file     configfile.Stamp
	policies string
}

func (f *settingsFollower) state() settingsStamp {
	return settingsStamp{file: configfile.StampOf(f.path), policies: configfile.PolicyStamp()}
}

func (f *settingsFollower) run(ctx context.Context) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	ticker := time.NewTicker(settingsEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
		case <-ticker.C:
			if f.state() == f.seen {
				continue
			}
		}
		f.seen = f.state()
		next, err := readSettings(f.program)
		if err != nil {
			f.log.Error("cannot read the settings; the old ones stay in force", "error", err)
			continue
		}
		f.take(ctx, next)
	}
}

// readSettings reads the settings again, with the environment and the file as they are now.
func readSettings(program process.Program) (Settings, error) {
	kctx, err := program.Parse()
	if err != nil {
		return Settings{}, err
	}
	for _, p := range kctx.Path {
		if p.Command == nil {
			continue
		}
		if a, is := p.Command.Target.Addr().Interface().(*Agent); is {
			return a.Settings, nil
		}
	}
	return Settings{}, errors.New("the command line is no longer that of an agent")
}

// take sends the settings that a running agent can change, when they differ.
func (f *settingsFollower) take(ctx context.Context, next Settings) {
	if fixed := next.fixed(); !reflect.DeepEqual(fixed, f.now.fixed()) {
		f.log.Warn("some of the changed settings take effect at the next start of the agent", "file", f.path)
	}
	before := f.now
	f.now = next
	if reflect.DeepEqual(before.manners(), next.manners()) {
		return
	}
	select {
	case f.out <- next.manners():
	case <-ctx.Done():
	}
}

// fixed are the settings without those that a running agent can change.
func (s Settings) fixed() Settings {
	s.Tags, s.Hours, s.Programs = nil, nil, nil
	s.IdleAfter, s.LockedIsIdle, s.MaxOtherLoad, s.OnBattery, s.OnReturn, s.FrameTime = 0, false, 0, false, "", 0
	return s
}
