package coordinator

import (
	"context"
	"time"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/library"
	"overcrank/coordinator/peers"
	"overcrank/coordinator/people"
)

// What the leader is asked, since only its memory knows it, or since it is done there.
var (
	askLog     = peers.Question[string, []joblog.Part]{Path: "/ask/log"}
	askReading = peers.Question[[]string, map[string]string]{Path: "/ask/reading"} // why templates, by id, have not been read

	// askTry counts a try to sign in with a password. It does change something, and a try that is counted twice does no harm.
	askTry = peers.Question[people.Try, time.Duration]{Path: "/ask/try"}

	askSecretKey = peers.Question[library.NewKey, library.KeyChange]{Path: "/cluster/secret-key", Changes: true}
	askOldKeys   = peers.Question[library.Keys, struct{}]{Path: "/cluster/old-keys", Changes: true}
)

// answerPeers registers what the other coordinators may ask of this one, and what it tells them while it leads.
func (c *Coordinator) answerPeers() {
	c.Answer()
	answerLeading(c, askLog, c.logOf)
	answerLeading(c, askReading, func(_ context.Context, ids []string) (map[string]string, error) { return c.templates.Waiting(ids), nil })

	answerLeading(c, askTry, func(_ context.Context, t people.Try) (time.Duration, error) { return c.TakeTry(t), nil })

	cluster.ChangeByLeader(c.cluster, askSecretKey, c.secrets.ChangeKeyHere)
	cluster.ChangeByLeader(c.cluster, askOldKeys, func(ctx context.Context, in library.Keys) (struct{}, error) {
		return struct{}{}, c.secrets.TakeOldKeys(ctx, in.Keys)
	})
	peers.Answer(c.peers, cluster.AskSecretKeys, func(_ context.Context, from string, in library.Keys) (struct{}, error) {
		return struct{}{}, c.secrets.TakeKeys(from, in)
	})

}

// answerLeading registers how a question is answered while this node leads.
func answerLeading[In, Out any](c *Coordinator, q peers.Question[In, Out], how func(context.Context, In) (Out, error)) {
	peers.Answer(c.peers, q, func(ctx context.Context, _ string, in In) (out Out, err error) {
		if !c.Leads() {
			return out, peers.ErrNotLeading
		}
		return how(ctx, in)
	})
}
