package agent

import (
	"testing"
	"time"

	"overcrank/agent/presence"
	"overcrank/farm"
)

// TestTheFarmHearsWhatGoesOnAtTheDesk: also when that changes nothing of whether the machine works.
func TestTheFarmHearsWhatGoesOnAtTheDesk(t *testing.T) {
	t.Parallel()
	p, desk := newPeer(t), &shownDesk{}
	startAtDesk(t, p, "normal", desk, Manners{Rules: presence.Rules{IdleAfter: 10 * time.Minute, LockedIsIdle: true}})
	locked := presence.Sight{Session: presence.SessionLocked, InputKnown: true}
	for _, c := range []struct {
		seen presence.Sight
		want farm.Desk
		work farm.Presence
	}{
		{presence.Sight{Session: presence.SessionNone}, farm.DeskNobody, farm.PresenceFree},
		{deskUsed, farm.DeskArtist, farm.PresenceAway},
		{locked, farm.DeskLocked, farm.PresenceFree},
		{deskLeft, farm.DeskFree, farm.PresenceFree},
	} {
		desk.show(c.seen)
		p.eventually("the farm to hear "+string(c.want), func() bool { return p.available.Desk() == c.want && p.available.Presence == c.work })
	}
}
