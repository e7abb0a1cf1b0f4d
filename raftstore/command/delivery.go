package command

import "time"

// RecordTry notes one try of a webhook, the Try-th of its Round. Error is "" when the receiver has taken it; otherwise it
// is tried again at Next, until that has been done farm.DeliveryRetries times or GiveUp says that no try can go better.
type RecordTry struct {
	ID         string // the job's
	Round, Try int
	Error      string
	GiveUp     bool
	Next, At   time.Time
}

// Redeliver begins a webhook's delivery that has ended anew, under the same id.
type Redeliver struct {
	Team, ID string
	At       time.Time
}

// RenewWebhookKey gives a team another key to sign its webhooks with. Salt, with the farm's key, makes it.
type RenewWebhookKey struct{ Team, Salt string }

func (RecordTry) Needs() int       { return ClusterLevel }
func (Redeliver) Needs() int       { return ClusterLevel }
func (RenewWebhookKey) Needs() int { return ClusterLevel }
