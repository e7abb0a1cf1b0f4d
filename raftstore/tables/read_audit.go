package tables

import (
	"strings"
	"time"

	"overcrank/farm"
)

// auditLooked is how many records one reading looks at, at most: a filter may fit few.
const auditLooked = 5000

// Audit reads the records that a query asks for, the newest first. Ids are the keys under which records lie, which are no text. next is what Before has to be for those that follow, "" when there are no more; it
// may be given with fewer records than were asked for, as one reading does not look at all of them.
func (tx *Tx) Audit(q farm.AuditQuery) (records []farm.AuditRecord, next string, err error) {
	t := tx.t
	bucket, prefix := auditIndexFor(q)
	end := auditEnd(q)
	cursor := t.cursor(bucket)
	from, _ := cursor.Seek([]byte(prefix + end))
	key, _ := cursor.Prev()
	if from == nil { // all keys are before it
		key, _ = cursor.Last()
	}
	for range auditLooked {
		if len(key) < len(prefix) || string(key[:len(prefix)]) != prefix || len(records) >= q.Limit {
			break
		}
		at := string(key[len(prefix):])
		if !q.From.IsZero() && at[:timeKeySize] < timeKey(q.From) {
			return records, "", t.err
		}
		record, ok := get[farm.AuditRecord](t, bucketAudit, at)
		if record.ID = at; ok && q.Fits(record) {
			records = append(records, record)
		}
		next = record.ID
		key, _ = cursor.Prev()
	}
	if len(key) < len(prefix) || string(key[:len(prefix)]) != prefix {
		next = ""
	}
	return records, next, t.err
}

// auditIndexFor is where the fewest records have to be looked at: a bucket, and what the keys begin with.
func auditIndexFor(q farm.AuditQuery) (bucket []byte, prefix string) {
	switch {
	case q.Thing != "":
		return bucketAuditByThing, q.Thing + sep
	case q.Token != "":
		return bucketAuditByToken, q.Token + sep
	case q.Team != "":
		return bucketAuditByTeam, q.Team + sep
	}
	return bucketAudit, ""
}

// auditEnd is the key of a record before which all are older that are asked for.
func auditEnd(q farm.AuditQuery) string {
	end := strings.Repeat("\xff", timeKeySize)
	if !q.To.IsZero() {
		end = timeKey(q.To)
	}
	if q.Before == "" {
		return end
	}
	return min(end, q.Before)
}

// AuditBefore says whether there are records of before a time.
func (tx *Tx) AuditBefore(at time.Time) bool {
	key := tx.t.firstKey(bucketAudit)
	return key != "" && key[:timeKeySize] < timeKey(at)
}
