package dispatch

import (
	"fmt"
	"slices"
	"time"

	"overcrank/coordinator/schedule"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore"
)

// standing is what people want of a machine, beside what it is. index says of which state that is, since what a command came to
// and what was read of the state may arrive in either order.
type standing struct {
	name            string
	drained, paused bool
	tags            []string     // that people gave it
	installed       []string     // tags of its inventory, as far as the state had one when it was read
	hours           []farm.Hours // at which it gets work, by its clock; none for always
	setAside        *farm.SetAside
	index           uint64
}

// works says whether the machine is given work.
func (s standing) works(now time.Time) bool {
	return !s.drained && !s.paused && (s.setAside == nil || !s.setAside.Until.IsZero() && !now.Before(s.setAside.Until))
}

// describe writes into a machine what people want of it.
func (s standing) describe(m *farm.Machine, now time.Time) {
	m.Drained, m.Paused = s.drained, s.paused
	if s.setAside != nil && (s.setAside.Until.IsZero() || now.Before(s.setAside.Until)) {
		m.SetAside = s.setAside
	}
}

// readStandings reads what people want of the machines, and the farm's policy.
func (l *leader) readStandings() error {
	var agents []farm.Agent
	var policy farm.Policy
	var index uint64
	err := l.d.state.View(func(tx *raftstore.Tx) (err error) {
		index = tx.Index()
		if policy, err = tx.Policy(); err != nil {
			return err
		}
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return err
	}
	l.noteAgents(index, agents)
	l.notePolicy(index, policy)
	return nil
}

// noteAgents follows what a command, or a reading, of an index of the state says of machines. One that is paused is asked for
// what it has.
func (l *leader) noteAgents(index uint64, agents []farm.Agent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range agents {
		if index < l.standings[a.ID].index {
			continue
		}
		was := l.standings[a.ID]
		if !l.queue.Knows(a.ID) || was.name != a.Name || !slices.Equal(was.tags, a.Tags) {
			l.queue.SetMachine(schedule.MachineOf(a))
		}
		l.standings[a.ID] = standing{name: a.Name, drained: a.Drained, paused: a.Paused, tags: a.Tags, installed: a.Inventory.Tags, hours: a.Hours, setAside: a.SetAside, index: index}
		if s := l.sessions[a.ID]; s != nil {
			s.name = a.Name
			l.placeLocked(s)
			l.recallLocked(s)
		}
	}
}

// notePolicy follows what a command, or a reading, of an index of the state says of the farm's policy.
func (l *leader) notePolicy(index uint64, policy farm.Policy) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if index < l.policyIndex {
		return
	}
	l.policy, l.policyIndex = policy, index
	l.queue.SetPolicy(policy)
	l.wake()
}

// placeLocked tells the queue of a connected machine as it stands now, and the machine what the farm wants of it.
func (l *leader) placeLocked(s *session) {
	if !s.equipped {
		return
	}
	if told := l.standings[s.agent].told(l.d.state.Now()); told != s.standing {
		s.standing = told
		s.send(wire.Message{Standing: &told})
	}
	s.shut = l.shutLocked(s)
	l.queue.SetLacks(s.agent, farm.AsIs(s.availability.AfterEffects))
	l.queue.Connect(s.agent, l.outOf(s))
	l.wake()
}

// told is what people at the machine are told of it.
func (s standing) told(now time.Time) wire.Standing {
	told := wire.Standing{Hours: farm.JoinHours(s.hours)}
	switch {
	case s.paused:
		told.State = farm.MachinePaused
	case s.drained:
		told.State = farm.MachineDrained
	case !s.works(now):
		told.State, told.Reason, told.Until = farm.MachineSetAside, s.setAside.Reason, s.setAside.Until
	}
	return told
}

// shutLocked says whether a machine is outside the hours that the farm set for it. The machine itself, which is told of them, stops what it does as
// it does at the end of its own hours; this is why it is given nothing new, whatever it says.
func (l *leader) shutLocked(s *session) bool {
	hours := l.standings[s.agent].hours
	return len(hours) > 0 && !farm.Within(hours, s.clock(l.d.state.Now()))
}

// clock is a time on the machine's clock, or on this one's when the machine does not tell its time zone.
func (s *session) clock(now time.Time) time.Time {
	if s.rules == nil {
		return now.Local()
	}
	return s.rules.Clock(now)
}

// present is whether the machine may work now by its own rules and the farm's hours.
func (l *leader) present(s *session) farm.Availability {
	now := s.availability
	if !l.shutLocked(s) || now.Presence != "" && now.Presence != farm.PresenceFree {
		return now
	}
	hours := l.standings[s.agent].hours
	now.Presence, now.Reason = farm.PresenceAway, "outside the hours that the farm has set ("+farm.JoinHours(hours)+")"
	now.Until = farm.NextChange(hours, s.clock(l.d.state.Now()))
	return now
}

// outOf is why a connected machine gets no work now; nothing for one that gets some.
func (l *leader) outOf(s *session) schedule.Out {
	stand, now := l.standings[s.agent], l.d.state.Now()
	switch {
	case stand.paused:
		return schedule.Out{Why: schedule.OutPaused}
	case stand.drained:
		return schedule.Out{Why: schedule.OutDrained}
	case !stand.works(now):
		return schedule.Out{Why: schedule.OutAside, Reason: farm.AsIs(stand.setAside.Reason), Until: stand.setAside.Until}
	case s.availability.NotReady:
		return schedule.Out{Why: schedule.OutNotReady, Reason: farm.AsIs(s.availability.Reason), Until: s.availability.Until}
	case l.present(s).Presence != "" && l.present(s).Presence != farm.PresenceFree:
		present := l.present(s)
		return schedule.Out{Why: schedule.OutAway, Reason: farm.AsIs(present.Reason), Until: present.Until}
	case !s.rests.IsZero():
		return schedule.Out{Why: schedule.OutResting, Until: s.rests}
	default:
		return schedule.Out{}
	}
}

// recall asks a machine that was paused while it was away to give back what it has.
func (l *leader) recall(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recallLocked(s)
}

// recallLocked asks a paused machine to give back what it has.
func (l *leader) recallLocked(s *session) {
	if !l.standings[s.agent].paused {
		return
	}
	for _, h := range l.leasesOfLocked(s.agent) {
		if !h.cancelled {
			s.send(wire.Message{Cancel: &wire.Cancel{Attempt: h.Attempt, Reason: "an operator has paused it", GiveBack: true}})
		}
	}
}

// readSecretTags reads which secrets go to some machines only.
func (l *leader) readSecretTags() error {
	tags := map[string][]string{}
	var index uint64
	err := l.d.state.View(func(tx *raftstore.Tx) error {
		index = tx.Index()
		secrets, err := tx.AllSecrets()
		for _, s := range secrets {
			if len(s.MachineTags) > 0 {
				tags[schedule.SecretKey(s.Team, s.Name)] = s.MachineTags
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading which machines get secrets: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if index >= l.secretsIndex {
		l.secretsIndex = index
		l.queue.SetSecretTags(tags)
		l.wake()
	}
	return nil
}

// restAfter is how long a machine gets no work after it has given some back: it stops, or its artist is there.
const restAfter = 5 * time.Second

// rest lets a machine rest that has stopped by itself.
func (l *leader) rest(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions[s.agent] == s {
		s.rests = l.d.state.Now().Add(restAfter)
		l.placeLocked(s)
	}
}

// wakeMachines ends the rest of machines, and their time aside, when it is over, and begins and ends their hours.
func (l *leader) wakeMachines() {
	now := l.d.state.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sessions {
		stand := l.standings[s.agent]
		aside := stand.setAside != nil && !stand.setAside.Until.IsZero() && !now.Before(stand.setAside.Until)
		if aside {
			stand.setAside = nil
			l.standings[s.agent] = stand
		}
		rested := !s.rests.IsZero() && !now.Before(s.rests)
		if rested {
			s.rests = time.Time{}
		}
		turned := s.shut != l.shutLocked(s)
		if rested || aside || turned {
			l.placeLocked(s)
		}
		if turned {
			l.d.events.Spread(farm.Event{Kind: farm.EventMachine, ID: s.agent})
		}
	}
}
