package tray

import (
	"context"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/presence"
)

// Agent is the agent of this machine, as the tray speaks with it.
type Agent struct {
	DataDir string
}

const (
	hour = time.Hour
	// giveBackFor keeps the machine from being given the same work again at once: until then, whoever asked is at work or away.
	giveBackFor = 10 * time.Minute
)

// Choice is what a person chooses in the menu for the agent to do.
type Choice int

// The choices.
const (
	PauseHour    Choice = iota // or resume, when it is paused
	GiveBack                   // what renders, now
	NeverBattery               // or on battery too, when it was never
	QuitTomorrow               // pause until tomorrow, without an icon until then
)

// do asks the agent for what was chosen. m is the menu that the person saw.
func (a Agent) do(ctx context.Context, choice Choice, m Menu, now time.Time) error {
	var err error
	switch choice {
	case PauseHour:
		pause := presence.Pause{On: true, Until: now.Add(hour).Round(time.Second)}
		if m.Paused {
			pause = presence.Pause{}
		}
		_, err = control.Pause(ctx, a.DataDir, pause)
	case GiveBack:
		_, err = control.Pause(ctx, a.DataDir, presence.Pause{On: true, Until: now.Add(giveBackFor).Round(time.Second)})
	case NeverBattery:
		_, err = control.NeverOnBattery(ctx, a.DataDir, !m.Never)
	case QuitTomorrow:
		_, err = control.Pause(ctx, a.DataDir, presence.Pause{On: true, Until: presence.Tomorrow(now)})
	}
	return err
}
