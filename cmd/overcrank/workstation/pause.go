package workstation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm"
)

type statusCommand struct {
	launcherFolder
	JSON bool `name:"json" help:"Print JSON."`
}

// statusAnswer is the status as programs get it.
type statusAnswer struct {
	control.Status
	Version  string    `json:"version"`            // of this program
	Launcher *launched `json:"launcher,omitempty"` // none when no launcher runs the agent
}

// Run prints the status of this machine's agent. What the launcher knows is told also when no agent answers: it may say why.
func (s statusCommand) Run(ctx context.Context, a *Agent, out *terminal.Output, program process.Program) error {
	status, err := control.Ask(ctx, a.DataDir)
	launched := s.look()
	if s.JSON && err == nil {
		return out.Indented(statusAnswer{status, program.Version, launched})
	}
	if !s.JSON {
		fmt.Fprintf(out, "%s %s\n", program.Name, program.Version)
		for _, line := range launched.lines() {
			fmt.Fprintln(out, line)
		}
	}
	return showStatus(out, s.JSON, status, err, a.DataDir)
}

type pauseCommand struct {
	For           time.Duration `help:"Pause for so long, such as 1h." xor:"until"`
	Until         string        `help:"Pause until this time of the day, such as 18:00, today or tomorrow." placeholder:"HH:MM" xor:"until"`
	UntilTomorrow bool          `help:"Pause until six in the morning." xor:"until"`
	JSON          bool          `name:"json" help:"Print JSON."`
}

func (pauseCommand) Help() string {
	return `Without a flag the pause lasts until 'overcrank agent resume', also when the machine is started anew.

    overcrank agent pause --for 1h
    overcrank agent pause --until 18:00`
}

// Run pauses the agent of this machine.
func (p pauseCommand) Run(ctx context.Context, a *Agent, out *terminal.Output) error {
	pause, err := p.pause(time.Now())
	if err != nil {
		return err
	}
	status, err := control.Pause(ctx, a.DataDir, pause)
	return showStatus(out, p.JSON, status, err, a.DataDir)
}

// pause is what the flags ask for.
func (p pauseCommand) pause(now time.Time) (presence.Pause, error) {
	switch {
	case p.For < 0:
		return presence.Pause{}, exit.Usagef("--for is %v: a pause cannot be over before it begins", p.For)
	case p.For > 0:
		return presence.Pause{On: true, Until: now.Add(p.For).Round(time.Second)}, nil
	case p.Until != "":
		clock, err := time.Parse("15:04", p.Until)
		if err != nil {
			return presence.Pause{}, exit.Usagef("--until is %q: a time of the day looks like 18:00", p.Until)
		}
		return presence.Pause{On: true, Until: presence.Next(now, clock.Hour()*60+clock.Minute())}, nil
	case p.UntilTomorrow:
		return presence.Pause{On: true, Until: presence.Tomorrow(now)}, nil
	}
	return presence.Pause{On: true}, nil
}

type resumeCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run ends a pause.
func (r resumeCommand) Run(ctx context.Context, a *Agent, out *terminal.Output) error {
	status, err := control.Pause(ctx, a.DataDir, presence.Pause{})
	return showStatus(out, r.JSON, status, err, a.DataDir)
}

// showStatus prints the status of an agent. err is the error of asking for it.
func showStatus(out *terminal.Output, asJSON bool, status control.Status, err error, dataDir string) error {
	if errors.Is(err, control.ErrNoAgent) {
		return fmt.Errorf("%w with the data folder %s; is it running, and is this its folder (--data-dir)?", control.ErrNoAgent, dataDir)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return out.Indented(status)
	}
	link := "linked to " + status.Coordinator
	if !status.Linked {
		link = "trying to reach " + status.Coordinator
		if status.UpdatesOnly {
			link = "connected to " + status.Coordinator + " for updates only"
		}
		if status.Trouble != "" {
			link += ": " + status.Trouble
		}
	}
	fmt.Fprintf(out, "%s is %s\n%s\n", status.Name, presenceText(status), link)
	if words := standingText(status); words != "" {
		fmt.Fprintln(out, words)
	}
	if why := status.Presence.AfterEffects; why != "" {
		fmt.Fprintf(out, "After Effects cannot run now: %s\n", why)
	}
	if len(status.Working) == 0 {
		fmt.Fprintln(out, "rendering nothing")
	}
	for _, w := range status.Working {
		fmt.Fprintf(out, "%s %s\n", cmp.Or(w.Phase, "starting"), strings.TrimSpace(fmt.Sprintf("%s %q, %.0f %%, since %s", w.Job, w.Name, w.Progress, w.Since.Local().Format("15:04"))))
	}
	return nil
}

// presenceText says whether a machine works for the farm, and when that may change.
func presenceText(status control.Status) string {
	now := status.Presence
	switch {
	case status.Pause.On && status.Pause.Until.IsZero():
		return "paused, until 'overcrank agent resume'"
	case status.Pause.On:
		return "paused until " + when(status.Pause.Until)
	case now.Presence == farm.PresenceFree && now.Until.IsZero():
		return "free to work for the farm"
	case now.Presence == farm.PresenceFree:
		return "free to work for the farm until " + when(now.Until)
	case now.NotReady:
		return "not ready: " + now.Reason
	case now.Until.IsZero():
		return "not working for the farm: " + now.Reason
	default:
		return "not working for the farm: " + now.Reason + "; it works again at " + when(now.Until) + " at the earliest"
	}
}

// standingText says why the farm gives the machine no work, "" when it does.
func standingText(status control.Status) string {
	now := status.Standing
	switch now.State {
	case farm.MachinePaused:
		return "the farm gives it no work: an operator has paused it"
	case farm.MachineDrained:
		return "the farm gives it no more work: an operator drains it"
	case farm.MachineSetAside:
		words := "the farm gives it no work: it failed too often"
		if now.Reason != "" {
			words += " (" + now.Reason + ")"
		}
		if !now.Until.IsZero() {
			words += ", until " + when(now.Until)
		}
		return words
	}
	return ""
}

// when is a time on this machine's clock, with the day when it is more than 24 hours away.
func when(t time.Time) string {
	if time.Until(t) < 24*time.Hour {
		return t.Local().Format("15:04")
	}
	return t.Local().Format("Mon 2 Jan 15:04")
}
