package farm

import "time"

// Delivery is a webhook that is owed for a job that has ended. There is one per job; its id stays the same over tries.
type Delivery struct {
	ID      string    `json:"id"` // the job's
	Team    string    `json:"team"`
	Tries   int       `json:"tries"` // made so far
	Next    time.Time `json:"next"`  // of the next try
	Error   string    `json:"error,omitempty"`
	EndedAt time.Time `json:"endedAt,omitzero"` // delivered, or given up when Error is set
}

// DeliveryRetries is how often a failed delivery is tried again.
const DeliveryRetries = 3
