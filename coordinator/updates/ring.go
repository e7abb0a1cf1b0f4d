package updates

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"overcrank/farm"
)

// failuresAwaited is after how many failed attempts to take a release the rest of its ring no longer waits for a machine: about half an hour, by the pauses.
const failuresAwaited = 5

// ring is how far the machines of one ring are. Machines of other rings do not count.
type ring struct {
	name     farm.UpdateRing
	members  int
	well     int       // are online, and have worked with the release for the soak time
	soaking  int       // are online and work with it, but not long enough
	soaked   time.Time // when the last of them has done so long enough
	open     int       // could take it, or are taking it
	refused  []Machine
	failing  []Machine // could not take it so far, and try again
	unproven []Machine // run it, but cannot render
}

// tookWell counts a machine that runs the release and has rendered with it.
func (r *ring) tookWell(m Machine, soak time.Duration, now time.Time) {
	end := m.Update.At.Add(soak)
	switch {
	case !m.Online: // it may have crashed since
	case now.Before(end):
		r.soaking++
		if end.After(r.soaked) {
			r.soaked = end
		}
	default:
		r.well++
	}
}

// refusal is a stop when every machine of the ring that could take the release refuses it, nil otherwise.
func (r *ring) refusal(u farm.Updates, now time.Time) *farm.UpdateStop {
	if len(r.refused) == 0 || r.well+r.soaking+r.open+len(r.failing)+len(r.unproven) > 0 {
		return nil
	}
	if !slices.ContainsFunc(r.refused, func(m Machine) bool { return !m.Update.At.Before(u.Past()) }) {
		return nil
	}
	return &farm.UpdateStop{Reason: r.allRefuse(u.Release), Machine: r.refused[0].ID, At: now}
}

func (r *ring) allRefuse(release string) string {
	who := fmt.Sprintf("all %d machines of %s that are online refuse %s", len(r.refused), r.words(), release)
	if len(r.refused) == 1 {
		who = fmt.Sprintf("%s, the only machine of %s that is online, refuses %s", called(r.refused[0]), r.words(), release)
	}
	return who + ": " + r.refused[0].Update.Reason
}

// words are the ring as people read it.
func (r *ring) words() string {
	switch r.name {
	case farm.RingCanary:
		return "the canary ring"
	case farm.RingTenth:
		return "the 10 % ring"
	default:
		return "the last ring"
	}
}

// ready tells whether the next ring can begin, and what it waits for: at least one machine of this ring has worked with the release for the soak time, and
// none is about to take it. A ring without machines is ready, except for the first.
func (r *ring) ready(now time.Time) (ready bool, waiting string) {
	switch {
	case r.members == 0 && r.name == farm.RingCanary:
		return false, "no machine is in the canary ring: name one, or a tag"
	case r.members == 0:
		return true, ""
	case r.open > 0:
		return false, r.progress() + r.troubles()
	case r.soaking > 0:
		return false, fmt.Sprintf("%s tries it until %s", r.words(), r.soaked.In(now.Location()).Format("15:04")) + r.troubles()
	case r.well > 0:
		return true, ""
	}
	return false, "no machine of " + r.words() + " that is online works with it yet" + r.troubles() + r.wayOut()
}

// remaining is what is left to do in the last ring, "" for nothing.
func (r *ring) remaining() string {
	if r.open > 0 {
		return r.progress() + r.troubles()
	}
	return strings.TrimPrefix(r.troubles(), "; ")
}

func (r *ring) progress() string {
	return fmt.Sprintf("%d of %d machines of %s run it", r.well+r.soaking+len(r.unproven), r.members, r.words())
}

// wayOut is what people can do when no machine of the ring is there to take the release.
func (r *ring) wayOut() string {
	if len(r.refused)+len(r.failing)+len(r.unproven) > 0 {
		return ""
	}
	return "; switch one on, or name it as a canary so that this ring does not wait for it"
}

// troubles are what keeps machines of the ring from taking the release, an example of each kind.
func (r *ring) troubles() string {
	var words strings.Builder
	for _, kind := range []struct {
		machines []Machine
		what     string
	}{{r.refused, "refuses it"}, {r.failing, "could not take it and tries again"}, {r.unproven, "runs it without having rendered a frame"}} {
		if len(kind.machines) == 0 {
			continue
		}
		m := kind.machines[0]
		fmt.Fprintf(&words, "; %s %s: %s", called(m), kind.what, m.Update.Reason)
		if more := len(kind.machines) - 1; more > 0 {
			fmt.Fprintf(&words, " (and %d more)", more)
		}
	}
	return words.String()
}
