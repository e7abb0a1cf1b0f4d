package cluster

import (
	"context"
	"net/url"
	"strconv"

	"overcrank/coordinator/library"
	"overcrank/coordinator/peers"
)

// What coordinators ask each other about the cluster.
var (
	askReport = peers.Question[reportAsked, nodeReport]{
		Path: "/cluster/report",
		Query: func(in reportAsked) url.Values {
			if in.Index == 0 {
				return nil
			}
			return url.Values{"index": {strconv.FormatUint(in.Index, 10)}}
		},
		FromQuery: func(q url.Values) (in reportAsked, err error) {
			if text := q.Get("index"); text != "" {
				in.Index, err = strconv.ParseUint(text, 10, 64)
			}
			return in, err
		},
	}
	askJoin     = peers.Question[nodeReport, joinAnswer]{Path: "/cluster/join"}
	askFarewell = peers.Question[farewell, struct{}]{Path: "/cluster/removed"}
	askRemove   = peers.Question[removal, struct{}]{Path: "/cluster/remove", Changes: true}
	askLead     = peers.Question[leadChange, struct{}]{Path: "/cluster/lead", Changes: true}
	// AskSecretKeys sends keys for secrets to a coordinator; package library answers it.
	AskSecretKeys = peers.Question[library.Keys, struct{}]{Path: "/cluster/keys"}
)

// answer registers this coordinator's answers to them.
func (c *Cluster) answer() {
	peers.Answer(c.peers, askReport, func(_ context.Context, _ string, in reportAsked) (nodeReport, error) {
		return c.reportSelf(in.Index), nil
	})
	peers.Answer(c.peers, askJoin, c.admit)
	peers.Answer(c.peers, askFarewell, c.takeFarewell)
	ChangeByLeader(c, askRemove, c.removeHere)
	ChangeByLeader(c, askLead, func(ctx context.Context, in leadChange) (struct{}, error) {
		return struct{}{}, c.raft.TransferLead(ctx, in.To)
	})
}

// ChangeByLeader registers the answer to a question for the Raft leader, whether or not it has taken up the leader's work.
func ChangeByLeader[In, Out any](c *Cluster, q peers.Question[In, Out], how func(context.Context, In) (Out, error)) {
	peers.Answer(c.peers, q, func(ctx context.Context, _ string, in In) (out Out, err error) {
		if !c.Leads() {
			return out, peers.ErrNotLeading
		}
		return how(ctx, in)
	})
}
