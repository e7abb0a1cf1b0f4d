package farm

import "time"

// Delivery is a webhook that is owed for a job that has ended. There is one per job; its id stays the same over tries.
type Delivery struct {
	ID      string    `json:"id"` // the job's
	Team    string    `json:"team"`
	Round   int       `json:"round,omitempty"` // how often it was begun anew when it had ended
	Tries   int       `json:"tries"`           // made so far in this round
	Next    time.Time `json:"next,omitzero"`   // of the next try; zero when it has ended
	TriedAt time.Time `json:"triedAt,omitzero"`
	Error   string    `json:"error,omitempty"`  // of the last try; "" when that went well, or before the first
	EndedAt time.Time `json:"endedAt,omitzero"` // delivered, or given up when Error is set
}

// DeliveryRetries is how often a failed delivery is tried again.
const DeliveryRetries = 3
