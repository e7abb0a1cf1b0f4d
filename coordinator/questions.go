package coordinator

import (
	"context"
	"time"

	"overcrank/coordinator/cluster"
	"overcrank/coordinator/events"
	"overcrank/coordinator/joblog"
	"overcrank/coordinator/library"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// What the leader is asked, since only its memory knows it, or since it is done there.
var (
	askSummary   = peers.Question[summaryAsked, summary]{Path: "/ask/summary"}
	askMachines  = peers.Question[machinesAsked, map[string]machineNow]{Path: "/ask/machines"}
	askWhy       = peers.Question[jobsAsked, map[string]string]{Path: "/ask/why"}
	askPlacement = peers.Question[jobAsked, farm.Placement]{Path: "/ask/placement"}
	askPlaces    = peers.Question[jobsAsked, map[string]farm.Placement]{Path: "/ask/placements"}
	askLine      = peers.Question[lineAsked, line]{Path: "/ask/line"}
	askRecent    = peers.Question[string, []wire.Attempt]{Path: "/ask/recent"}
	askFile      = peers.Question[fileAsked, leasedFile]{Path: "/ask/file"}
	askDismiss   = peers.Question[string, struct{}]{Path: "/ask/dismiss"}
	askLog       = peers.Question[string, []joblog.Part]{Path: "/ask/log"}
	askSpread    = peers.Question[events.Told, struct{}]{Path: "/ask/spread"}
	askReading   = peers.Question[[]string, map[string]string]{Path: "/ask/reading"} // why templates, by id, have not been read

	askSecretKey = peers.Question[library.NewKey, library.KeyChange]{Path: "/cluster/secret-key", Changes: true}
	askOldKeys   = peers.Question[library.Keys, struct{}]{Path: "/cluster/old-keys", Changes: true}
)

// answerPeers registers what the other coordinators may ask of this one, and what it tells them while it leads.
func (c *Coordinator) answerPeers() {
	answerByLeader(c, askSummary, (*leader).summary)
	answerByLeader(c, askMachines, (*leader).machinesNow)
	answerByLeader(c, askWhy, (*leader).whyWaiting)
	answerByLeader(c, askPlacement, (*leader).placementOf)
	answerByLeader(c, askPlaces, (*leader).placementsOf)
	answerByLeader(c, askLine, (*leader).lineFrom)
	answerByLeader(c, askRecent, (*leader).recentOf)
	answerByLeader(c, askFile, (*leader).fileFor)
	answerByLeader(c, askDismiss, (*leader).dismiss)
	answerByLeader(c, askLog, (*leader).logOf)
	answerByLeader(c, askSpread, (*leader).spread)
	answerByLeader(c, askReading, (*leader).templatesWaiting)

	cluster.ChangeByLeader(c.cluster, askSecretKey, c.secrets.ChangeKeyHere)
	cluster.ChangeByLeader(c.cluster, askOldKeys, func(ctx context.Context, in library.Keys) (struct{}, error) {
		return struct{}{}, c.secrets.TakeOldKeys(ctx, in.Keys)
	})
	peers.Answer(c.peers, cluster.AskSecretKeys, func(_ context.Context, from string, in library.Keys) (struct{}, error) {
		return struct{}{}, c.secrets.TakeKeys(from, in)
	})

	peers.Tell(c.peers, c.tellFollowers)
}

// answerByLeader registers how a question is answered from what the leader's memory knows.
func answerByLeader[In, Out any](c *Coordinator, q peers.Question[In, Out], how func(*leader, context.Context, In) (Out, error)) {
	peers.Answer(c.peers, q, func(ctx context.Context, _ string, in In) (out Out, err error) {
		l := c.leading()
		if l == nil {
			return out, peers.ErrNotLeading
		}
		return how(l, ctx, in)
	})
}

type summaryAsked struct {
	Queue bool `json:"queue"` // when the queue has been read, not before
}

// summary is how many machines and tasks there are.
type summary struct {
	Slots    int                       `json:"slots"`
	Leased   int                       `json:"leased"`
	Ready    int                       `json:"ready"`
	Read     bool                      `json:"read"`     // Ready is all there is: the queue has been read
	Owed     int                       `json:"owed"`     // webhooks
	Machines map[farm.MachineState]int `json:"machines"` // that are connected
}

type machinesAsked struct {
	Team string   `json:"team"` // of whoever asks: of other teams' work it is told only that there is some
	IDs  []string `json:"ids"`
}

// machineNow is what the leader knows of a machine.
type machineNow struct {
	Online       bool               `json:"online"`
	LastSeen     time.Time          `json:"lastSeen"`
	Address      string             `json:"address"`
	Own          string             `json:"own"` // what it calls itself
	Availability farm.Availability  `json:"availability"`
	Running      []farm.RunningTask `json:"running"`
}

type jobAsked struct {
	Team string `json:"team"` // whose job it has to be
	ID   string `json:"id"`
}

type jobsAsked struct {
	Team string   `json:"team"` // whose jobs they have to be; others are left out
	IDs  []string `json:"ids"`
}

type lineAsked struct {
	Team  string `json:"team"` // of whoever asks: of other teams' tasks it is told where they stand
	After int    `json:"after"`
	Limit int    `json:"limit"`
}

// line is a part of the queue.
type line struct {
	Entries []farm.QueueEntry `json:"entries"`
	More    bool              `json:"more"`
}

type fileAsked struct {
	Agent  string `json:"agent"`
	SHA256 string `json:"sha256"`
}
