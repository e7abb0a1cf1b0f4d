package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"overcrank/agent/attempt"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/interval"
)

// session is an open connection. run alone writes to it; one goroutine of run reads.
type session struct {
	l     *link
	conn  *websocket.Conn
	sent  map[wire.Attempt]time.Time // when a report was sent last
	known string                     // hash of the inventory that the farm has; "" when it asked for another one
	other *otherVersion              // the coordinator's, when the session is for updates alone; nil for a common one
	// What the farm was told last.
	cached      []string
	available   farm.Availability
	withoutSlot []wire.Attempt
	trials      *trials
	updating    wire.Updating
	rules       *farm.WorkRules // nil before the first heartbeat
}

func (s *session) close() {
	// Both fail when the other side is gone, which is as good.
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	_ = s.conn.Close()
}

func (s *session) write(m wire.Message) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return fmt.Errorf("writing to the farm: %w", err)
	}
	if err := s.conn.WriteJSON(m); err != nil {
		return fmt.Errorf("writing to the farm: %w", err)
	}
	return nil
}

func (s *session) read() (wire.Message, error) {
	_, b, err := s.conn.ReadMessage()
	if err != nil {
		return wire.Message{}, fmt.Errorf("reading from the farm: %w", err)
	}
	var m wire.Message
	if err := json.Unmarshal(b, &m); err != nil {
		return wire.Message{}, fmt.Errorf("reading from the farm: %w", err)
	}
	return m, nil
}

// welcome reads the answer to Hello.
func (s *session) welcome() (wire.Welcome, error) {
	patience := answerTime
	if s.l.a.farm.Several() {
		patience = fewAnswers
	}
	if err := s.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return wire.Welcome{}, fmt.Errorf("reading from the farm: %w", err)
	}
	m, err := s.read()
	switch {
	case err != nil:
		return wire.Welcome{}, err
	case m.Redirect != nil:
		return wire.Welcome{}, &redirected{leader: m.Redirect.Leader}
	case m.OtherVersion != nil:
		return wire.Welcome{}, &otherVersion{OtherVersion: *m.OtherVersion, own: s.l.a.cfg.Protocol}
	case m.Welcome == nil:
		return wire.Welcome{}, errors.New("the farm did not answer with a welcome")
	}
	return *m.Welcome, nil
}

// run works the connection until either side ends it. Something is sent every heartbeatSeconds at least.
func (s *session) run(ctx context.Context, heartbeatSeconds float64) error {
	beat := time.Duration(heartbeatSeconds * float64(time.Second))
	if beat <= 0 {
		beat = 5 * time.Second
	}
	silence := max(3*beat, minSilence)
	if s.l.a.farm.Several() {
		silence = fewSilences
	}
	trying, stop := context.WithCancel(ctx)
	s.trials = &trials{a: s.l.a, ctx: trying, results: make(chan wire.Tried)}
	defer s.trials.work.Wait()
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.listen(silence) }()
	err := s.talk(ctx, beat, ended)
	s.close()
	if err == nil {
		return context.Cause(ctx)
	}
	return err
}

// talk sends heartbeats, what attempts tell, and reports, until the connection or ctx ends.
func (s *session) talk(ctx context.Context, beat time.Duration, ended chan error) (err error) {
	defer func() {
		s.close() // ends listen, which must have returned before talk does
		if heard := <-ended; err == nil || errors.As(heard, new(*redirected)) {
			err = heard
		}
	}()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	asking := time.NewTicker(min(beat, pulse))
	defer asking.Stop()
	if err := s.beat(); err != nil { // which says first of all whether the machine may work
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case heard := <-ended:
			ended <- heard
			return heard
		case <-ticker.C:
			if err := s.beat(); err != nil {
				return err
			}
		case <-asking.C:
			if err := s.ask(); err != nil {
				return err
			}
		case told := <-s.trials.results:
			if err := s.write(wire.Message{Tried: &told}); err != nil {
				return err
			}
		case <-s.l.wake:
			if err := s.tell(); err != nil {
				return err
			}
			if interval.Wait(ctx, tellEvery) != nil {
				return context.Cause(ctx)
			}
		}
	}
}

// beat sends a heartbeat, which keeps the leases alive, and everything that waits.
func (s *session) beat() error {
	if s.other != nil {
		return s.report(s.l.a.updater.Told())
	}
	if err := s.heartbeat(); err != nil {
		return err
	}
	return s.tell()
}

// ask sends a ping.
func (s *session) ask() error {
	if err := s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime)); err != nil {
		return fmt.Errorf("writing to the farm: %w", err)
	}
	return nil
}

// heartbeat lists the attempts that the machine holds, and says whether it may work.
func (s *session) heartbeat() error {
	beat := &wire.Heartbeat{Holding: s.l.a.slots.holding(), Availability: s.l.a.availability(), Sending: s.l.a.slots.withoutSlot()}
	if cached := s.l.a.machine.Templates.Present(s.l.a.machine.Cache.Has); !slices.Equal(cached, s.cached) {
		beat.Cached, s.cached = cached, cached
	}
	beat.Load = s.l.a.load.Measure(time.Now())
	if rules := s.l.a.workRules(time.Now()); s.rules == nil || !reflect.DeepEqual(rules, *s.rules) {
		beat.Rules, s.rules = &rules, &rules
	}
	if err := s.write(wire.Message{Heartbeat: beat}); err != nil {
		return err
	}
	s.available, s.withoutSlot = beat.Availability, beat.Sending
	return nil
}

// tell sends everything that waits: the inventory if it has changed, then log and progress, then the reports that were not sent lately.
func (s *session) tell() error {
	if has := s.l.a.inventory.now(); s.other == nil && has.hash != s.known {
		if err := s.write(wire.Message{Inventory: &has.Inventory}); err != nil {
			return err
		}
		s.known = has.hash
	}
	if told := s.l.a.updater.Told(); told != s.updating {
		if err := s.report(told); err != nil {
			return err
		}
	}
	if s.other != nil {
		return nil
	}
	if s.l.a.availability() != s.available || !slices.Equal(s.l.a.slots.withoutSlot(), s.withoutSlot) {
		if err := s.heartbeat(); err != nil {
			return err
		}
	}
	reports := s.l.a.outbox.All() // before the feeds: the last lines of an attempt precede its report
	for _, f := range s.l.a.slots.told() {
		messages := f.Take()
		for i, m := range messages {
			if err := s.write(m); err != nil {
				for _, unsent := range messages[i:] {
					if unsent.Log != nil {
						f.PutBack(unsent.Log.Lines)
					}
				}
				return err
			}
		}
	}
	for _, m := range reports {
		at := reported(m)
		if time.Since(s.sent[at]) < repeatReports {
			continue
		}
		if err := s.write(m); err != nil {
			return err
		}
		s.sent[at] = time.Now()
	}
	return nil
}

func reported(m wire.Message) wire.Attempt {
	if m.Finished != nil {
		return m.Finished.Attempt
	}
	return m.Failed.Attempt
}

// listen acts on the farm's messages until the connection ends or has been silent for too long.
func (s *session) listen(silence time.Duration) error {
	extend := func(string) error { return s.conn.SetReadDeadline(time.Now().Add(silence)) }
	s.conn.SetPongHandler(extend)
	for {
		if err := extend(""); err != nil {
			return fmt.Errorf("reading from the farm: %w", err)
		}
		m, err := s.read()
		if err != nil {
			return err
		}
		if s.other != nil && !m.Stable() {
			continue
		}
		slots := s.l.a.slots
		switch {
		case m.Lease != nil:
			slots.take(*m.Lease)
		case m.Cancel != nil:
			slots.cancel(m.Cancel.Attempt, s.l.a.causeOf(*m.Cancel))
		case m.Settled != nil:
			slots.settle(m.Settled.Attempt)
		case m.Trial != nil:
			s.trials.begin(*m.Trial)
		case m.Gossip != nil:
			s.l.a.setGossip(*m.Gossip)
		case m.Coordinators != nil:
			s.l.a.setCoordinators(m.Coordinators.Addresses)
		case m.Update != nil:
			s.l.a.updater.Want(*m.Update)
		case m.FFmpeg != nil:
			s.l.a.ffmpeg.Want(*m.FFmpeg)
		case m.Standing != nil:
			s.l.standing.Store(m.Standing)
			s.l.a.keepFarmHours(m.Standing.Hours)
		case m.Redirect != nil:
			return &redirected{leader: m.Redirect.Leader}
		}
	}
}

// causeOf is why an attempt ends that the farm stops.
func (a *agent) causeOf(c wire.Cancel) error {
	if c.GiveBack {
		return &attempt.GivenBack{Reason: a.givenBackFor(c.Reason), Patient: true}
	}
	return &attempt.Cancelled{Reason: c.Reason}
}
