package command

import "time"

// RequestKey marks a request that must not be carried out twice, by a key that its caller chose.
type RequestKey struct {
	Team string    `json:"team"`
	Key  string    `json:"key"`
	Hash string    `json:"hash"` // of the whole request: another one under the same key is refused
	Size int64     `json:"size"` // bytes of its body
	At   time.Time `json:"at"`
}

// Request is what the farm keeps of a request that was carried out.
type Request struct {
	RequestKey
	// Made are the ids of what the request made or changed, in the order in which its answer names them.
	Made []string `json:"made,omitempty"`
	// Answer is what was answered, as the coordinator sealed it; nil when the farm was interrupted before.
	Answer []byte `json:"answer,omitempty"`
}

// RequestLife is how long a request is kept.
const RequestLife = 24 * time.Hour

// Over says whether the request is forgotten at a time.
func (r RequestKey) Over(at time.Time) bool { return at.Sub(r.At) >= RequestLife }

// KeepAnswer keeps what a request was answered, and the request itself when none of its commands did.
type KeepAnswer struct {
	RequestKey
	Answer []byte
}

// ForgetRequests forgets the oldest requests of before a time, at most Limit of them.
type ForgetRequests struct {
	Before time.Time
	Limit  int
}

func (KeepAnswer) Needs() int     { return ClusterLevel }
func (ForgetRequests) Needs() int { return ClusterLevel }
