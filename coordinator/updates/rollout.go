// Package updates keeps releases of the agent's program and decides which machine gets one, and when.
//
// The farm is only a mirror: it chooses among signed releases. Each machine checks itself that a trusted key signed the release, that it is newer, and that it
// works.
package updates

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"overcrank/farm"
)

// lostAfter is how long a machine may be offline after it has begun to install a release. One that is offline longer counts as broken by the release.
const lostAfter = 30 * time.Minute

// heardAfter is how long after a coordinator has begun to lead the machines have had time to connect to it. Until then nothing is concluded from the fact
// that a machine is offline: agents that lost their coordinator look for it every 30 seconds at least.
const heardAfter = time.Minute

// tenthOf: one of so many machines is in RingTenth.
const tenthOf = 10

// Machine is what is known of a machine for deciding about updates.
type Machine struct {
	ID, Name string
	Online   bool
	Tags     []string // all of them
	Update   farm.MachineUpdate
	Ring     farm.UpdateRing // set in an Overview only
}

// Overview is which release machines are to run, and how far each is.
type Overview struct {
	Updates  farm.Updates
	Waiting  string // what the next step waits for, in words; "" for nothing
	Machines []Machine
}

// Decision is what to do next, given how far all machines are.
type Decision struct {
	// Updates are the settings with the next ring or a stop; Changed tells whether they differ from those in force.
	Updates farm.Updates
	Changed bool
	// Tell are the machines, by id, that are to run the release now.
	Tell map[string]bool
	// Waiting is what the next step waits for, in words; "" for nothing.
	Waiting string
}

// RingOf is the first ring that a machine is in.
func RingOf(u farm.Updates, m Machine) farm.UpdateRing {
	if slices.Contains(u.CanaryMachines, m.ID) || slices.ContainsFunc(u.CanaryTags, func(tag string) bool { return slices.Contains(m.Tags, tag) }) {
		return farm.RingCanary
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(m.ID)) // never fails
	if h.Sum32()%tenthOf == 0 {
		return farm.RingTenth
	}
	return farm.RingAll
}

// Situation is what is known when the next step is decided.
type Situation struct {
	Updates  farm.Updates
	Release  *farm.Release // that Updates names; nil when there is none
	Protocol int           // version of the agents' protocol that the farm speaks
	Machines []Machine
	Led      time.Time // since when this coordinator leads: earlier it could not hear from machines
	Now      time.Time // in the farm's time zone
}

// Decide decides which machines get a release.
func Decide(s Situation) Decision {
	u, release, now := s.Updates, s.Release, s.Now
	d := Decision{Updates: u, Tell: map[string]bool{}}
	if u.Release == "" || release == nil {
		return d
	}
	if d.Updates.Ring == "" {
		d.Updates.Ring, d.Changed = farm.RingCanary, true
	}
	r := newRollout(s)
	if stop := r.failure(d.Updates.Ring); stop != nil && u.Stopped == nil {
		d.Updates.Stopped, d.Changed = stop, true
		return d
	}
	switch until := release.Until(); {
	case u.Stopped != nil:
		d.Waiting = "it was stopped: " + u.Stopped.Reason
		return d
	case s.Protocol < release.ProtocolMin || release.ProtocolMax < s.Protocol:
		d.Waiting = fmt.Sprintf("it speaks versions %d to %d of the agents' protocol, but the farm speaks version %d", release.ProtocolMin, release.ProtocolMax, s.Protocol)
		return d
	case now.After(until) && until.Equal(release.Expires):
		d.Waiting = "it expired on " + until.Format(time.DateOnly) + ": add a newer release"
		return d
	case now.After(until):
		d.Waiting = "the keys that signed it expired on " + until.Format(time.DateOnly) + ": add a release that is signed with a newer list of keys"
		return d
	}
	r.advance(&d)
	if !farm.Within(u.Hours, now) {
		d.Waiting = "outside the hours for updates"
		if next := farm.NextChange(u.Hours, now); !next.IsZero() {
			d.Waiting += ", which begin " + next.Format("Mon 15:04")
		}
		return d
	}
	r.tell(&d)
	return d
}

// rollout is how far the machines are that get releases from the farm.
type rollout struct {
	Situation
	rings  map[farm.UpdateRing]*ring
	failed []Machine // rolled the release back, or have not come back
	open   []Machine // could take it, or are taking it
	silent []Machine // run it, and have not rendered with it
}

func newRollout(s Situation) *rollout {
	r := &rollout{Situation: s, rings: map[farm.UpdateRing]*ring{}}
	for _, name := range farm.UpdateRings() {
		r.rings[name] = &ring{name: name}
	}
	for _, m := range s.Machines {
		if m.Update.Mode == farm.UpdatedByFarm {
			r.take(m)
		}
	}
	return r
}

func (r *rollout) take(m Machine) {
	in := r.rings[RingOf(r.Updates, m)]
	in.members++
	about, runs := m.Update.Release == r.Updates.Release, m.Update.Version == r.Updates.Release
	state := m.Update.State
	if !about {
		state = farm.UpdateNone
	}
	switch {
	case m.Update.Well(r.Updates.Release):
		in.tookWell(m, r.Updates.Soak(), r.Now)
	case state == farm.UpdateRefused:
		in.refused = append(in.refused, m)
	case runs && state == farm.UpdateDone:
		in.unproven = append(in.unproven, m)
		r.silent = append(r.silent, m)
	case runs && m.Online:
		in.open++
		r.silent = append(r.silent, m)
	case runs:
	case state == farm.UpdateRolledBack, state == farm.UpdateInstalling && !m.Online && r.Now.Sub(r.begun(m)) > lostAfter:
		r.failed = append(r.failed, m)
	case m.Online || state == farm.UpdateInstalling:
		if state == farm.UpdateRetrying {
			in.failing = append(in.failing, m)
		}
		if m.Update.Failures < failuresAwaited || !about {
			in.open++
		}
		r.open = append(r.open, m)
	}
}

// begun is since when a machine that installs the release could have come back: not before this coordinator led.
func (r *rollout) begun(m Machine) time.Time {
	if r.Led.After(m.Update.At) {
		return r.Led
	}
	return m.Update.At
}

// failure is why the release stops now: the first machine on which it failed since it was chosen or resumed, or a ring in which every machine refuses it;
// nil for no reason.
func (r *rollout) failure(current farm.UpdateRing) *farm.UpdateStop {
	var first *Machine
	for i, m := range r.failed {
		if at := r.failedAt(m); at.Before(r.Updates.Past()) || first != nil && !at.Before(r.failedAt(*first)) {
			continue
		}
		first = &r.failed[i]
	}
	if first == nil {
		return r.rings[current].refusal(r.Updates, r.Now)
	}
	reason := fmt.Sprintf("%s rolled %s back", called(*first), r.Updates.Release)
	if first.Update.State == farm.UpdateInstalling {
		reason = fmt.Sprintf("%s began to install %s and has not come back", called(*first), r.Updates.Release)
	} else if first.Update.Reason != "" {
		reason += ": " + first.Update.Reason
	}
	return &farm.UpdateStop{Reason: reason, Machine: first.ID, At: r.Now}
}

// called is a machine as people know it.
func called(m Machine) string { return cmp.Or(m.Name, m.ID) }

// failedAt is when a machine failed. A machine that has not come back fails lostAfter its last report.
func (r *rollout) failedAt(m Machine) time.Time {
	if m.Update.State == farm.UpdateInstalling {
		return r.begun(m).Add(lostAfter)
	}
	return m.Update.At
}

// advance goes on to the next ring once the machines of this one have shown that the release works.
func (r *rollout) advance(d *Decision) {
	u, members := &d.Updates, 0
	for _, in := range r.rings {
		members += in.members
	}
	if members == 0 {
		d.Waiting = "no machine gets releases from the farm"
		return
	}
	for {
		at := r.rings[u.Ring]
		if u.Ring == farm.RingAll {
			d.Waiting = at.remaining()
			return
		}
		ready, waiting := at.ready(r.Now)
		switch d.Waiting = waiting; {
		case !ready:
			return
		case r.Now.Sub(r.Led) < heardAfter:
			d.Waiting = "the coordinator has just begun to lead, and machines are connecting to it"
			return
		}
		u.Ring = farm.UpdateRings()[slices.Index(farm.UpdateRings(), u.Ring)+1]
		d.Changed = true
	}
}

// tell chooses the machines that are to update now, at most MostAtOnce: first those that have begun, then those that have not failed yet, then those that
// failed least often. While a machine that failed has to pause, others have its place. Machines that run the release already are told to show that it works,
// which takes no place.
func (r *rollout) tell(d *Decision) {
	rings := farm.UpdateRings()
	upTo := slices.Index(rings, d.Updates.Ring)
	gets := func(m Machine) bool { return slices.Index(rings, RingOf(r.Updates, m)) <= upTo }
	for _, m := range r.silent {
		if gets(m) {
			d.Tell[m.ID] = true
		}
	}
	slices.SortFunc(r.open, func(a, b Machine) int {
		return cmp.Or(cmp.Compare(r.rank(a), r.rank(b)), cmp.Compare(a.ID, b.ID))
	})
	left := r.Updates.MostAtOnce()
	for _, m := range r.open {
		if left == 0 {
			return
		}
		if gets(m) && !r.pauses(m) {
			d.Tell[m.ID] = true
			left--
		}
	}
}

// rank orders machines that could take the release: -1 for one that is taking it, then by how often it failed.
func (r *rollout) rank(m Machine) int {
	switch {
	case m.Update.Release != r.Updates.Release:
		return 0
	case m.Update.State == farm.UpdateDownloading, m.Update.State == farm.UpdateFinishing, m.Update.State == farm.UpdateInstalling:
		return -1
	}
	return m.Update.Failures
}

// Pauses of a machine that could not take the release: the first, and the longest. Each is twice the one before.
const (
	firstPause   = time.Minute
	longestPause = 30 * time.Minute
)

// pauses tells whether a machine is not to try again yet.
func (r *rollout) pauses(m Machine) bool {
	if m.Update.Release != r.Updates.Release || m.Update.State != farm.UpdateRetrying {
		return false
	}
	pause := firstPause
	for n := 1; n < m.Update.Failures && pause < longestPause; n++ {
		pause *= 2
	}
	return r.Now.Before(m.Update.At.Add(min(pause, longestPause)))
}
