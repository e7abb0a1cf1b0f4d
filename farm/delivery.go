package farm

import "time"

// Delivery is the webhook of a job that has ended. Each job has one; its id stays the same over tries.
type Delivery struct {
	ID      string    `json:"id"` // the job's
	Team    string    `json:"team"`
	Round   int       `json:"round,omitempty"` // how often somebody asked to send it again after it had ended
	Tries   int       `json:"tries"`           // made so far in this round
	Next    time.Time `json:"next,omitzero"`   // when the next try is made; zero when it has ended
	TriedAt time.Time `json:"triedAt,omitzero"`
	Error   string    `json:"error,omitempty"`  // of the last try; "" when that went well, or before the first
	EndedAt time.Time `json:"endedAt,omitzero"` // delivered, or given up when Error is set
}

// DeliveryRetries is how often a failed delivery is tried again.
const DeliveryRetries = 3
