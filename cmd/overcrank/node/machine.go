package node

import "time"

// machineFaults are the parts of the machine that a test build can make fail. The zero value is the machine without faults.
type machineFaults struct {
	now        func() time.Time
	beforeSync func() error
}
