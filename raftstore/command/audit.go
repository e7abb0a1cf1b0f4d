package command

import (
	"time"

	"overcrank/farm"
)

// RecordAudit notes what came to no command of its own: requests that were refused, tries to sign in that failed, and what changes no record.
type RecordAudit struct{ Records []farm.AuditRecord }

// ForgetAudit forgets the records of before a time, at most Limit of them.
type ForgetAudit struct {
	Before time.Time
	Limit  int
}

func (RecordAudit) Needs() int { return AuditLevel }
func (ForgetAudit) Needs() int { return AuditLevel }
