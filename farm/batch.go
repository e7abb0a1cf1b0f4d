package farm

import "time"

// Batch is a group of jobs that were submitted at once.
type Batch struct {
	ID        string     `json:"id"`
	Team      string     `json:"team"`
	CreatedAt time.Time  `json:"createdAt"`
	Jobs      []BatchJob `json:"jobs"` // those that were accepted, in the caller's order
	// Total is how many jobs the caller sent; those that are missing from Jobs were refused.
	Total int `json:"total"`
}

// BatchJob is a job of a batch: Index is its place, from 0, in what the caller sent.
type BatchJob struct {
	Index int    `json:"index"`
	ID    string `json:"id"`
}
