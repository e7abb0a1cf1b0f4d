//go:build linux || windows

// Package tray shows a person at the machine what the agent does, as an icon with a menu, and takes what they choose. It runs with that person's rights,
// and speaks with the agent's service over the socket that every user of the machine may connect to.
package tray

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"fyne.io/systray"

	"overcrank/agent/control"
	"overcrank/agent/presence"
)

// askEvery is how often the agent is asked what it does.
const askEvery = 3 * time.Second

// shown is the tray while its icon is there.
type shown struct {
	agent Agent
	say   words
	log   *slog.Logger

	state, pause, give, never, dashboard, quit *systray.MenuItem
	work                                       [workLines + 1]*systray.MenuItem

	menu    Menu // as it is shown
	picture string

	opening sync.WaitGroup // pages that are being opened
	failed  chan error     // why one was not
}

// Show shows the icon until ctx ends, the desktop does, or the person quits it until tomorrow; then until is when it comes back.
func Show(ctx context.Context, agent Agent, log *slog.Logger) (until time.Time, err error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	ended, err := desktop(ctx)
	if err != nil {
		return time.Time{}, err
	}
	s := &shown{agent: agent, say: speak(locales()), log: log, failed: make(chan error)}
	var following sync.WaitGroup
	runtime.LockOSThread() // a window of Windows belongs to the thread that made it
	defer runtime.UnlockOSThread()
	systray.SetTitle("Overcrank") // the library may lose what is set while it tells the desktop of the icon
	systray.Run(func() {
		s.build()
		following.Go(func() {
			defer systray.Quit()
			until = s.follow(ctx, ended)
		})
	}, nil)
	leave()
	following.Wait()
	s.opening.Wait()
	return until, nil
}

// build makes the items of the menu, of which some are hidden at times.
func (s *shown) build() {
	s.state = systray.AddMenuItem("", "")
	s.state.Disable()
	for i := range s.work {
		s.work[i] = systray.AddMenuItem("", "")
		s.work[i].Disable()
		s.work[i].Hide()
	}
	systray.AddSeparator()
	s.pause = systray.AddMenuItem(s.say.PauseHour, "")
	s.give = systray.AddMenuItem(s.say.GiveBack, "")
	s.never = systray.AddMenuItemCheckbox(s.say.NeverBattery, "", false)
	systray.AddSeparator()
	s.dashboard = systray.AddMenuItem(s.say.OpenDashboard, "")
	s.quit = systray.AddMenuItem(s.say.QuitTomorrow, "")
	// The library drops a click for which nobody waits, and nobody does while the agent is asked something.
	for _, item := range []*systray.MenuItem{s.pause, s.give, s.never, s.dashboard, s.quit} {
		item.ClickedCh = make(chan struct{}, 1)
	}
	s.menu = Menu{Sign: -1} // nothing is shown yet
}

// follow keeps the menu as the agent is, and carries out what the person chooses. ended is closed when the desktop is gone.
func (s *shown) follow(ctx context.Context, ended <-chan struct{}) (until time.Time) {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	settled := false
	for {
		s.ask(ctx)
		choice := Choice(-1)
		select {
		case <-ctx.Done():
			return time.Time{}
		case <-ended:
			return time.Time{}
		case <-tick.C:
			if !settled { // the desktop has the icon now, if not all that was set before
				s.menu, settled = Menu{Sign: -1}, true
			}
			continue
		case <-s.pause.ClickedCh:
			choice = PauseHour
		case <-s.give.ClickedCh:
			choice = GiveBack
		case <-s.never.ClickedCh:
			choice = NeverBattery
		case <-s.dashboard.ClickedCh:
			s.open(ctx, s.menu.Dashboard)
			continue
		case err := <-s.failed:
			s.tellFailed(err)
			continue
		case <-s.quit.ClickedCh:
			choice = QuitTomorrow
		}
		now := time.Now()
		err := s.agent.do(ctx, choice, s.menu, now)
		if choice == QuitTomorrow { // also when no agent answers: the person wants the icon gone
			return presence.Tomorrow(now)
		}
		if err != nil && ctx.Err() == nil {
			s.tellFailed(err)
		}
	}
}

// open opens a page while the menu goes on: what opens it may run for as long as the browser does.
func (s *shown) open(ctx context.Context, page string) {
	s.opening.Go(func() {
		err := open(ctx, page)
		if err == nil {
			return
		}
		select {
		case s.failed <- err:
		case <-ctx.Done():
		}
	})
}

func (s *shown) tellFailed(err error) {
	s.log.Warn("what was chosen in the menu was not done", "error", err)
	s.tell(fmt.Sprintf(s.say.Failed, err))
}

// ask asks the agent what it does, and shows what has changed.
func (s *shown) ask(ctx context.Context) {
	status, err := control.Ask(ctx, s.agent.DataDir)
	if ctx.Err() != nil {
		return
	}
	m := menuOf(status, err, s.say, time.Now())
	s.update(m)
	s.showPicture(ctx, m.Picture)
}

// tell says something in the line of the state until the agent is asked again.
func (s *shown) tell(text string) {
	s.state.SetTitle(text)
	s.menu.State = text
}

// iconSteps is how many icons there are for the progress of a render.
const iconSteps = 16

// update shows what differs from before: each change goes over the desktop's bus.
func (s *shown) update(m Menu) {
	before := s.menu
	s.menu = m
	if m.Sign != before.Sign || m.Progress*iconSteps/100 != before.Progress*iconSteps/100 {
		if drawn, err := encode(icon(m.Sign, m.Progress)); err == nil {
			systray.SetIcon(drawn)
		}
	}
	if m.State != before.State {
		systray.SetTooltip("Overcrank: " + m.State)
		s.state.SetTitle(m.State)
	}
	for i, item := range s.work {
		switch line := at(m.Work, i); line {
		case at(before.Work, i):
		case "":
			item.Hide()
		default:
			item.SetTitle(line)
			item.Show()
		}
	}
	if m.Pause != before.Pause {
		s.pause.SetTitle(m.Pause)
	}
	if m.Never != before.Never {
		check(s.never, m.Never)
	}
	enable(s.pause, m.CanAsk)
	enable(s.give, m.CanGive)
	enable(s.never, m.CanAsk)
	enable(s.dashboard, m.Dashboard != "")
}

// showPicture puts the latest frame of a task beside the first line of work.
func (s *shown) showPicture(ctx context.Context, task string) {
	if task == "" {
		return
	}
	text, err := control.Picture(ctx, s.agent.DataDir, task)
	if err != nil || string(text) == s.picture {
		return
	}
	if small, ok := picture(text); ok {
		if drawn, err := encode(small); err == nil {
			s.work[0].SetIcon(drawn)
			s.picture = string(text)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

func enable(item *systray.MenuItem, can bool) {
	switch {
	case can && item.Disabled():
		item.Enable()
	case !can && !item.Disabled():
		item.Disable()
	}
}

func check(item *systray.MenuItem, on bool) {
	if on {
		item.Check()
		return
	}
	item.Uncheck()
}

// ErrNoDesktop means that nobody could see an icon here.
var ErrNoDesktop = errors.New("there is no desktop that shows icons")
