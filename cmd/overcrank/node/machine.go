package node

import "time"

// underneath is what of the machine under a coordinator a test build can make misbehave. The zero value is the machine as it is.
type underneath struct {
	now        func() time.Time
	beforeSync func() error
}
