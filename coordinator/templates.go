package coordinator

import (
	"context"

	"overcrank/coordinator/peers"
	"overcrank/coordinator/templates"
	"overcrank/farm"
)

// catalogFarm is what templates know of this coordinator.
type catalogFarm struct{ *Coordinator }

var _ templates.Farm = catalogFarm{}

func (c catalogFarm) KnowsMissingFootage() bool { return c.store.KnowsMissingFootage() }

func (c catalogFarm) KnowsCompleted() bool { return c.store.KnowsCompleted() }

func (c catalogFarm) Pictured(t farm.Template) {
	c.hub.Spread(farm.Event{Kind: farm.EventTemplate, Team: t.Team, ID: t.ID})
}

func (c catalogFarm) AskWaiting(ctx context.Context, ids []string) (map[string]string, error) {
	return peers.AskLeader(ctx, c.peers, askReading, ids)
}
