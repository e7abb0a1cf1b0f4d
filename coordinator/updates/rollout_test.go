package updates

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// park is a farm of machines that do what they are told, some of which the release does not suit.
type park struct {
	u        farm.Updates
	release  farm.Release
	machines []Machine
	bad      map[string]bool             // the release is rolled back on them
	state    map[string]farm.UpdateState // what becomes of the release on others that it does not suit
	led      time.Time
	now      time.Time
}

// newPark makes machines, the first few of which are canaries.
func newPark(n, canaries int) *park {
	soak := 10
	p := &park{now: start, led: start.Add(-time.Hour), bad: map[string]bool{}, state: map[string]farm.UpdateState{}, release: farm.Release{Version: "2.0.0", Number: 2, ProtocolMin: 3, ProtocolMax: 3, Expires: start.AddDate(1, 0, 0)},
		u: farm.Updates{Release: "2.0.0", CanaryTags: []string{"canary"}, SoakMinutes: &soak, Since: start}}
	for i := range n {
		m := Machine{ID: fmt.Sprintf("agent%03d", i), Name: fmt.Sprintf("ws%03d", i), Online: true,
			Update: farm.MachineUpdate{Version: "1.0.0", Mode: farm.UpdatedByFarm}}
		if i < canaries {
			m.Tags = []string{"canary"}
		}
		p.machines = append(p.machines, m)
	}
	return p
}

// step decides once, and lets a minute pass in which every machine does what it was told.
func (p *park) step() Decision {
	d := p.decide()
	p.u = d.Updates
	p.now = p.now.Add(time.Minute)
	for i := range p.machines {
		m := &p.machines[i]
		if !d.Tell[m.ID] || !m.Online {
			continue
		}
		m.Update.Release, m.Update.At = p.release.Version, p.now
		switch state := p.state[m.ID]; {
		case p.bad[m.ID]:
			m.Update.State, m.Update.Reason = farm.UpdateRolledBack, "it ended with 1"
		case state != farm.UpdateNone:
			m.Update.State, m.Update.Reason = state, "a reason"
			if state == farm.UpdateRetrying {
				m.Update.Failures++
			}
		default:
			m.Update.State, m.Update.Version, m.Update.Rendered = farm.UpdateDone, p.release.Version, true
		}
	}
	return d
}

func (p *park) decide() Decision {
	return Decide(Situation{Updates: p.u, Release: &p.release, Protocol: 3, Machines: p.machines, Led: p.led, Now: p.now})
}

// in lists the machines of a ring.
func (p *park) in(ring farm.UpdateRing) (list []*Machine) {
	for i := range p.machines {
		if RingOf(p.u, p.machines[i]) == ring {
			list = append(list, &p.machines[i])
		}
	}
	return list
}

// runs counts the machines of each ring that run the release.
func (p *park) runs() map[farm.UpdateRing]int {
	n := map[farm.UpdateRing]int{}
	for _, m := range p.machines {
		if m.Update.Version == p.release.Version {
			n[RingOf(p.u, m)]++
		}
	}
	return n
}

func TestAGoodReleaseGoesRingByRing(t *testing.T) {
	p := newPark(200, 5)
	seen := map[farm.UpdateRing]time.Time{}
	for range 120 {
		d := p.step()
		if len(d.Tell) > farm.UpdatesAtOnce {
			t.Fatalf("%d machines update at once", len(d.Tell))
		}
		for ring, n := range p.runs() {
			if _, known := seen[ring]; n > 0 && !known {
				seen[ring] = p.now
			}
		}
	}
	if n := p.runs(); n[farm.RingCanary] != 5 || n[farm.RingCanary]+n[farm.RingTenth]+n[farm.RingAll] != 200 || n[farm.RingTenth] < 10 {
		t.Errorf("the release is on %v", n)
	}
	if d := seen[farm.RingTenth].Sub(seen[farm.RingCanary]); d < 10*time.Minute {
		t.Errorf("the second ring came %s after the first", d)
	}
	if d := seen[farm.RingAll].Sub(seen[farm.RingTenth]); d < 10*time.Minute {
		t.Errorf("the third ring came %s after the second", d)
	}
}

func TestAReleaseThatFailsOnAFifthStopsInTheCanaryRing(t *testing.T) {
	for seed := range uint64(20) {
		p := newPark(200, 20)
		chance := rand.New(rand.NewPCG(seed, 0))
		for _, i := range chance.Perm(200)[:40] {
			p.bad[p.machines[i].ID] = true
		}
		p.bad[p.machines[chance.IntN(20)].ID] = true // one canary at least
		for range 60 {
			p.step()
		}
		if n := p.runs(); p.u.Stopped == nil || n[farm.RingTenth]+n[farm.RingAll] > 0 {
			t.Errorf("seed %d: stopped: %v, the release is on %v", seed, p.u.Stopped, n)
		}
	}
}

func TestAStopIsResumed(t *testing.T) {
	p := newPark(30, 3)
	p.u.AtOnce = 1
	p.bad["agent001"] = true
	for range 5 {
		p.step()
	}
	if p.u.Stopped == nil || p.u.Stopped.Machine != "agent001" || !strings.Contains(p.u.Stopped.Reason, "ws001 rolled 2.0.0 back: it ended with 1") {
		t.Fatalf("stopped: %+v", p.u.Stopped)
	}
	if d := p.step(); len(d.Tell) > 0 || !strings.Contains(d.Waiting, "stopped") {
		t.Errorf("stopped, it tells %v and waits for %q", d.Tell, d.Waiting)
	}
	p.u.Stopped, p.u.Resumed = nil, p.now
	for range 60 {
		p.step()
	}
	if n := p.runs(); n[farm.RingCanary] != 2 || n[farm.RingCanary]+n[farm.RingTenth]+n[farm.RingAll] != 29 {
		t.Errorf("resumed, the release is on %v, stopped: %v", n, p.u.Stopped)
	}
}

func TestWhatAReleaseWaitsFor(t *testing.T) {
	for name, test := range map[string]struct {
		change func(p *park)
		words  string
		tells  int
	}{
		"nothing chosen":   {func(p *park) { p.u.Release = "" }, "", 0},
		"no canary":        {func(p *park) { p.u.CanaryTags = nil }, "no machine is in the canary ring", 0},
		"a named canary":   {func(p *park) { p.u.CanaryTags, p.u.CanaryMachines = nil, []string{"agent007"} }, "0 of 1", 1},
		"other hours":      {func(p *park) { p.u.Hours = []farm.Hours{{From: 22 * 60, To: 6 * 60}} }, "which begin Mon 22:00", 0},
		"another protocol": {func(p *park) { p.release.ProtocolMin, p.release.ProtocolMax = 4, 5 }, "versions 4 to 5 of the agents' protocol", 0},
		"expired":          {func(p *park) { p.release.Expires = start.AddDate(0, 0, -1) }, "expired", 0},
		"nobody is the farm's": {func(p *park) {
			for i := range p.machines {
				p.machines[i].Update.Mode = farm.UpdatedByOthers
			}
		}, "no machine gets releases", 0},
		"expired keys":          {func(p *park) { p.release.KeysExpire = start.AddDate(0, 0, -1) }, "the keys that signed it expired on 2026-11-22", 0},
		"canaries that are off": {func(p *park) { p.machines[0].Online, p.machines[1].Online = false, false }, "switch one on", 0},
		"one canary that refuses": {func(p *park) {
			p.machines[0].Update.Release, p.machines[0].Update.State, p.machines[0].Update.Reason = "2.0.0", farm.UpdateRefused, "a wrong clock"
		}, "ws000 refuses it: a wrong clock", 1},
	} {
		p := newPark(20, 2)
		test.change(p)
		d := p.decide()
		if !strings.Contains(d.Waiting, test.words) || len(d.Tell) != test.tells {
			t.Errorf("%s: it waits for %q and tells %v", name, d.Waiting, d.Tell)
		}
	}
}

func TestAMachineThatDoesNotComeBackStopsTheRelease(t *testing.T) {
	p := newPark(20, 2)
	p.machines[0].Online = false
	p.machines[0].Update = farm.MachineUpdate{Version: "1.0.0", Mode: farm.UpdatedByFarm, Release: "2.0.0", State: farm.UpdateInstalling, At: start}
	for range 29 {
		p.step()
	}
	if p.u.Stopped != nil || p.runs()[farm.RingTenth] > 0 {
		t.Fatalf("a machine restarts, and the release is on %v; stopped: %v", p.runs(), p.u.Stopped)
	}
	for range 3 {
		p.step()
	}
	if p.u.Stopped == nil || !strings.Contains(p.u.Stopped.Reason, "has not come back") {
		t.Errorf("stopped: %+v", p.u.Stopped)
	}
}

// TestAMachineThatFailsLeavesItsPlaceToOthers: machines that cannot download the release, the first ones by their ids, take none of the two places while
// they pause, and come after all others.
func TestAMachineThatFailsLeavesItsPlaceToOthers(t *testing.T) {
	p := newPark(30, 6)
	p.u.AtOnce = 2
	for _, m := range p.machines[:4] {
		p.state[m.ID] = farm.UpdateRetrying
	}
	told := map[string][]int{} // when each was told, in minutes
	for minute := range 120 {
		d := p.step()
		if len(d.Tell) > 2 {
			t.Fatalf("%d machines update at once", len(d.Tell))
		}
		for id := range d.Tell {
			told[id] = append(told[id], minute)
		}
	}
	if first := told["agent004"]; len(first) == 0 || first[0] > 2 {
		t.Errorf("a good canary was told after %v minutes", first)
	}
	if n := p.runs(); n[farm.RingCanary] != 2 || n[farm.RingCanary]+n[farm.RingTenth]+n[farm.RingAll] != 26 {
		t.Errorf("the release is on %v", n)
	}
	tries := told["agent000"]
	for i := 2; i < len(tries); i++ {
		if pause, before := tries[i]-tries[i-1], tries[i-1]-tries[i-2]; pause < min(before, 30) {
			t.Errorf("it was told after %v minutes: the pauses do not grow", tries)
		}
	}
	if len(tries) < 4 || len(tries) > 10 {
		t.Errorf("it was told after %v minutes", tries)
	}
}

func TestARingOpensByItsOwnMachinesAlone(t *testing.T) {
	p := newPark(60, 3)
	for _, m := range p.in(farm.RingTenth) {
		m.Online = false
	}
	for range 60 {
		p.step()
	}
	if n := p.runs(); p.u.Ring != farm.RingTenth || n[farm.RingAll] > 0 || n[farm.RingCanary] != 3 {
		t.Fatalf("the tenth is off, and in the ring %s the release is on %v", p.u.Ring, n)
	}
	p.in(farm.RingTenth)[0].Online = true
	p.step()
	on := p.now
	for p.u.Ring == farm.RingTenth {
		if p.step(); p.now.Sub(on) > time.Hour {
			t.Fatal("the tenth works with it, and the others do not get it")
		}
	}
	if took := p.now.Sub(on); took < 10*time.Minute {
		t.Errorf("the others got it %s after the first of the tenth", took)
	}
}

// TestASoakIsEachMachinesOwn: a canary that comes later works with the release for the whole soak before the next ring begins.
func TestASoakIsEachMachinesOwn(t *testing.T) {
	p := newPark(60, 2)
	p.machines[1].Online = false
	for range 8 {
		p.step()
	}
	p.machines[1].Online = true
	p.step()
	p.step()
	since := p.machines[1].Update.At
	for p.u.Ring == farm.RingCanary {
		p.step()
	}
	if took := p.now.Sub(since); took < 10*time.Minute {
		t.Errorf("the second ring began %s after the last canary had the release", took)
	}
}

// TestANewLeaderHearsFromMachinesFirst: without a soak, a canary that has not connected yet would not be waited for.
func TestANewLeaderHearsFromMachinesFirst(t *testing.T) {
	p := newPark(60, 2)
	none := 0
	p.u.SoakMinutes, p.u.AtOnce = &none, 1
	p.step()
	p.led, p.machines[1].Online = p.now, false
	if d := p.decide(); d.Updates.Ring != farm.RingCanary || !strings.Contains(d.Waiting, "connecting") {
		t.Errorf("under a new leader the ring is %s: %q", d.Updates.Ring, d.Waiting)
	}
	p.machines[0].Update.State, p.machines[0].Update.Version, p.machines[0].Online = farm.UpdateInstalling, "1.0.0", false
	p.now = p.now.Add(40 * time.Minute)
	p.led = p.now.Add(-lostAfter / 2)
	if d := p.decide(); d.Updates.Stopped != nil {
		t.Errorf("a machine that could not be heard is given up: %+v", d.Updates.Stopped)
	}
}

// TestMachinesThatRenderNothingDoNotJudge: such machines take the release, but open no ring.
func TestMachinesThatRenderNothingDoNotJudge(t *testing.T) {
	p := newPark(60, 2)
	for i := range 2 {
		p.machines[i].Update = farm.MachineUpdate{Version: "2.0.0", Mode: farm.UpdatedByFarm, Release: "2.0.0", State: farm.UpdateDone, Reason: "no ffmpeg", At: start}
	}
	p.now = start.Add(time.Hour)
	if d := p.decide(); d.Updates.Ring != farm.RingCanary || !strings.Contains(d.Waiting, "ws000 runs it without having rendered a frame: no ffmpeg (and 1 more)") {
		t.Errorf("in the ring %s it waits for %q", d.Updates.Ring, d.Waiting)
	}
	p.machines[1].Update.Rendered = true
	if d := p.decide(); d.Updates.Ring == farm.RingCanary {
		t.Errorf("one renders, and it waits for %q", d.Waiting)
	}
}

// TestMachinesThatHaveTheReleaseAlreadyShowThatItWorks: an administrator may have installed it.
func TestMachinesThatHaveTheReleaseAlreadyShowThatItWorks(t *testing.T) {
	p := newPark(60, 2)
	p.machines[0].Update.Version = "2.0.0"
	p.u.AtOnce = 1
	if d := p.decide(); !d.Tell["agent000"] || !d.Tell["agent001"] || len(d.Tell) != 2 {
		t.Errorf("it tells %v", d.Tell)
	}
}

func TestARingThatRefusesAReleaseStopsIt(t *testing.T) {
	for _, ring := range farm.UpdateRings() {
		p := newPark(60, 2)
		for _, m := range p.in(ring) {
			p.state[m.ID] = farm.UpdateRefused
		}
		for range 60 {
			p.step()
		}
		if stop := p.u.Stopped; stop == nil || p.u.Ring != ring || !strings.Contains(stop.Reason, "online refuse 2.0.0: a reason") {
			t.Fatalf("in the ring %s all of %s refuse it; stopped: %+v", p.u.Ring, ring, stop)
		}
		p.u.Stopped, p.u.Resumed = nil, p.now.Add(time.Second)
		p.now = p.now.Add(time.Minute)
		if d := p.decide(); d.Updates.Stopped != nil || !strings.Contains(d.Waiting, "refuses it: a reason") {
			t.Errorf("%s, resumed: stopped %+v, it waits for %q", ring, d.Updates.Stopped, d.Waiting)
		}
	}
}
