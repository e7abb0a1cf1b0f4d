package coordinator

import (
	"time"

	"overcrank/coordinator/joblog"
	"overcrank/farm"
	"overcrank/farm/wire"
)

// What only the leader's memory knows, and what is done with it there.
const (
	askSummary   question[summaryAsked, summary]                = "summary"
	askMachines  question[machinesAsked, map[string]machineNow] = "machines"
	askWhy       question[jobsAsked, map[string]string]         = "why"
	askPlacement question[jobAsked, farm.Placement]             = "placement"
	askPlaces    question[jobsAsked, map[string]farm.Placement] = "placements"
	askLine      question[lineAsked, line]                      = "line"
	askRecent    question[string, []wire.Attempt]               = "recent"
	askFile      question[fileAsked, leasedFile]                = "file"
	askDismiss   question[string, struct{}]                     = "dismiss"
	askLog       question[string, []joblog.Part]                = "log"
)

// answerAll lists how each question is answered.
func answerAll() answers {
	a := answers{}
	answering(a, askSummary, (*leader).summary)
	answering(a, askMachines, (*leader).machinesNow)
	answering(a, askWhy, (*leader).whyWaiting)
	answering(a, askPlacement, (*leader).placementOf)
	answering(a, askPlaces, (*leader).placementsOf)
	answering(a, askLine, (*leader).lineFrom)
	answering(a, askRecent, (*leader).recentOf)
	answering(a, askFile, (*leader).fileFor)
	answering(a, askDismiss, (*leader).dismiss)
	answering(a, askLog, (*leader).logOf)
	answering(a, askSpread, (*leader).spread)
	answering(a, askReading, (*leader).readingOf)
	return a
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
