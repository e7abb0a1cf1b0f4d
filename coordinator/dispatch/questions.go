package dispatch

import (
	"context"
	"time"

	"overcrank/coordinator/events"
	"overcrank/coordinator/handout"
	"overcrank/coordinator/peers"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// What the leader is asked, since only its memory knows it.
var (
	askSummary   = peers.Question[summaryAsked, Summary]{Path: "/ask/summary"}
	askMachines  = peers.Question[machinesAsked, map[string]MachineNow]{Path: "/ask/machines"}
	askWhy       = peers.Question[jobsAsked, map[string]farm.Text]{Path: "/ask/reasons"}
	askPlacement = peers.Question[jobAsked, farm.Placement]{Path: "/ask/place"}
	askPlaces    = peers.Question[jobsAsked, map[string]farm.Placement]{Path: "/ask/places"}
	askFinish    = peers.Question[jobsAsked, map[string]farm.Span]{Path: "/ask/finish"}
	askAble      = peers.Question[ableAsked, Able]{Path: "/ask/able"}
	askBatch     = peers.Question[jobAsked, farm.BatchForecast]{Path: "/ask/batch"}
	askLine      = peers.Question[lineAsked, line]{Path: "/ask/line"}
	askRecent    = peers.Question[string, []wire.Attempt]{Path: "/ask/recent"}
	askDay       = peers.Question[string, farm.MachineDay]{Path: "/ask/day"}
	askDays      = peers.Question[struct{}, keptDays]{Path: "/ask/days"}
	askSharing   = peers.Question[struct{}, farm.SharingNow]{Path: "/ask/sharing"}
	askFile      = peers.Question[fileAsked, handout.File]{Path: "/ask/file"}
	askDismiss   = peers.Question[string, struct{}]{Path: "/ask/dismiss"}
	askUpdates   = peers.Question[struct{}, updatesNow]{Path: "/ask/updates"}
	askSpread    = peers.Question[events.Told, struct{}]{Path: "/ask/spread"}
)

// Answer registers what the other coordinators may ask of this one, and what it tells them while it leads.
func (d *Dispatcher) Answer() {
	answerByLeader(d, askSummary, (*leader).summary)
	answerByLeader(d, askMachines, (*leader).machinesNow)
	answerByLeader(d, askWhy, (*leader).whyWaiting)
	answerByLeader(d, askPlacement, (*leader).placementOf)
	answerByLeader(d, askPlaces, (*leader).placementsOf)
	answerByLeader(d, askFinish, (*leader).finishOf)
	answerByLeader(d, askAble, (*leader).ableTo)
	answerByLeader(d, askBatch, (*leader).batchForecast)
	answerByLeader(d, askLine, (*leader).lineFrom)
	answerByLeader(d, askRecent, (*leader).recentOf)
	answerByLeader(d, askDay, (*leader).dayOf)
	answerByLeader(d, askDays, (*leader).daysNow)
	answerByLeader(d, askSharing, (*leader).sharingNow)
	answerByLeader(d, askFile, (*leader).fileFor)
	answerByLeader(d, askDismiss, (*leader).dismiss)
	answerByLeader(d, askUpdates, (*leader).updatesNow)
	answerByLeader(d, askSpread, (*leader).spread)
	peers.Tell(d.peers, d.tellFollowers)
}

// answerByLeader registers how a question is answered from what the leader's memory knows.
func answerByLeader[In, Out any](d *Dispatcher, q peers.Question[In, Out], how func(*leader, context.Context, In) (Out, error)) {
	peers.Answer(d.peers, q, func(ctx context.Context, _ string, in In) (out Out, err error) {
		l := d.leading()
		if l == nil {
			return out, peers.ErrNotLeading
		}
		return how(l, ctx, in)
	})
}

type summaryAsked struct {
	Queue bool `json:"queue"` // when the queue has been read, not before
}

// Summary is how many machines and tasks there are.
type Summary struct {
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

// MachineNow is what the leader knows of a machine.
type MachineNow struct {
	Online       bool               `json:"online"`
	LastSeen     time.Time          `json:"lastSeen"`
	Address      string             `json:"address"`
	Own          string             `json:"own"` // what it calls itself
	Availability farm.Availability  `json:"availability"`
	Running      []farm.RunningTask `json:"running"`
	Load         *farm.Load         `json:"load,omitempty"`
	Rules        *farm.WorkRules    `json:"rules,omitempty"`
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
