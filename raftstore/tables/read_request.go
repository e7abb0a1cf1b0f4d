package tables

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// Request reads what is kept of a request.
func (tx *Tx) Request(team, key string) (command.Request, error) {
	request, ok := get[command.Request](tx.t, bucketRequests, requestID(team, key))
	return found(tx, request, ok, "request", key)
}

// RequestsBefore says whether any request of before a time is kept.
func (tx *Tx) RequestsBefore(at time.Time) bool {
	key, _ := tx.t.cursor(bucketRequestsByTime).First()
	return len(key) > 8 && string(key[:8]) < timeKey(at)
}

func requestID(team, key string) string { return team + sep + key }

func otherRequest(key string) *farm.Error {
	return farm.Errorf(farm.CodeConflict, "the Idempotency-Key %q was used for another request within the last 24 hours; choose a new one", key)
}
