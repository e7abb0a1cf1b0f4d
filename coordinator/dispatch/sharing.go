package dispatch

import (
	"context"

	"overcrank/coordinator/peers"
	"overcrank/farm"
)

// SharingNow is how the farm's machines are shared at the moment: of all teams for who may change that, of the caller's own for others, who
// are not told either which machines hold what is limited.
func (d *Dispatcher) SharingNow(ctx context.Context, p farm.Principal) (farm.SharingNow, error) {
	if err := p.May(farm.ActView); err != nil {
		return farm.SharingNow{}, err
	}
	now, err := peers.AskLeader(ctx, d.peers, askSharing, struct{}{})
	if err != nil || p.May(farm.ActChangePolicy) == nil {
		return now, err
	}
	own := farm.SharingNow{Teams: map[string]farm.TeamUse{p.Team: now.Teams[p.Team]}, Limits: map[string]farm.LimitUse{}}
	for name, use := range now.Limits {
		own.Limits[name] = farm.LimitUse{Taken: use.Taken}
	}
	return own, nil
}

func (l *leader) sharingNow(ctx context.Context, _ struct{}) (farm.SharingNow, error) {
	if err := l.queueRead(ctx); err != nil {
		return farm.SharingNow{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.Use(), nil
}
