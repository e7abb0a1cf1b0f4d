package tray

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"overcrank/agent/control"
	"overcrank/agent/presence"
	"overcrank/farm"
)

// Menu is what the tray shows of an agent's status.
type Menu struct {
	Sign      Sign
	Progress  int    // of the oldest render, in percent
	State     string // one line, the tooltip of the icon too
	Work      []string
	Picture   string // the task whose picture stands beside the first line of Work, "" for none
	Pause     string // the label: pause, or resume
	Paused    bool
	CanAsk    bool // an agent answers: what follows can be chosen
	CanGive   bool // there is work to give back
	Never     bool // on battery
	Dashboard string
}

// Sign is what the icon says.
type Sign int

// The signs.
const (
	Trouble   Sign = iota // no agent, or no farm
	Free                  // waiting for work
	Rendering             //
	Away                  // left to who works at the machine, or paused
)

// workLines is how many renders are listed one by one.
const workLines = 3

// menuOf is the menu for the status of an agent, or for the error of asking for it.
func menuOf(status control.Status, err error, say words, now time.Time) Menu {
	m := Menu{Pause: say.PauseHour}
	if err != nil {
		m.State = say.NoAgent
		if !errors.Is(err, control.ErrNoAgent) {
			m.State = fmt.Sprintf(say.Failed, err)
		}
		return m
	}
	m.CanAsk, m.Never, m.Dashboard = true, status.NeverOnBattery, dashboard(status.Coordinator)
	m.CanGive = len(status.Working) > 0
	for i, w := range status.Working {
		if i == workLines {
			m.Work = append(m.Work, fmt.Sprintf(say.OtherRenders, len(status.Working)-workLines))
			break
		}
		m.Work = append(m.Work, workLine(w, say))
	}
	if len(status.Working) > 0 {
		m.Progress = int(status.Working[0].Progress)
		if status.Working[0].Picture {
			m.Picture = status.Working[0].Task
		}
	}
	m.Paused = status.Pause.On
	if m.Paused {
		m.Pause = say.Resume
	}
	m.Sign, m.State = stateOf(status, say, now)
	return m
}

// stateOf says in one line what the machine does, or why it does nothing.
func stateOf(status control.Status, say words, now time.Time) (Sign, string) {
	switch {
	case status.Pause.On && status.Pause.Until.IsZero():
		return Away, say.Paused
	case status.Pause.On:
		return Away, fmt.Sprintf(say.PausedUntil, clock(status.Pause.Until, now))
	case len(status.Working) > 0:
		return Rendering, workLine(status.Working[0], say)
	case status.UpdatesOnly:
		return Trouble, say.OtherVersion
	case !status.Linked:
		return Trouble, say.NoFarm
	case status.Presence.Presence == farm.PresenceFree && status.Standing.State == "":
		return Free, say.Free
	}
	switch status.Presence.Reason {
	case presence.ReasonInput:
		return Away, say.SomebodyHere
	case presence.ReasonBattery:
		return Away, say.OnBattery
	}
	return Away, say.NotNow
}

func workLine(w control.Work, say words) string {
	name := w.Name
	if name == "" {
		name = say.Nameless
	}
	const longest = 48 // letters that a menu has room for
	if letters := []rune(name); len(letters) > longest {
		name = string(letters[:longest-1]) + "…"
	}
	return fmt.Sprintf(say.Rendering, name, int(w.Progress))
}

// clock is a time on this machine's clock, with the day of the week when it is more than a day away.
func clock(t, now time.Time) string {
	if t.Sub(now) < 24*time.Hour {
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2006-01-02 15:04")
}

// dashboard is the page to open, "" when the farm's address is none: it may come from the farm, and is handed to a program of the system.
func dashboard(coordinator string) string {
	u, err := url.Parse(coordinator)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}
