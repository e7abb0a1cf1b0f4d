package tables

import (
	"encoding/binary"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/record"
)

// Who asks for a command is noted by the command itself: the same entry of the log changes the state and says who wanted it, so that neither is
// there without the other, and it costs no entry of its own.

const (
	// auditTextLimit bounds each text of a record, in bytes.
	auditTextLimit = 300
	// auditDropped is how many records one command forgets at most where there are too many.
	auditDropped = 4
	countOfAudit = "audit"
)

// audited is what the audit log says of a command.
type audited struct {
	action farm.AuditAction
	thing  farm.AuditThing
	more   int // things beside that one
	// left and joined are the teams of a person who is moved.
	left, joined farm.AuditThing
	team         string // whose the thing is, "" where that is nobody's
	// everyday marks what programs do all day: these records go first where there are too many.
	everyday bool
	// subject is the token that acts where nobody has signed in: whoever uses a link, or a password.
	subject string
}

// applyAs does what a command asks for its sender, and notes it. Of what the farm itself does nothing is noted.
func (t *tables) applyAs(by command.Sender, cmd command.Command) command.Result {
	if by.Actor == nil {
		return t.applyFor(by.Key, cmd)
	}
	about, worth := t.auditOf(cmd) // before it is carried out: what is deleted has a name until then
	who := t.auditActor(*by.Actor, about.subject)
	t.asker = who.Name
	result := t.applyFor(by.Key, cmd)
	t.asker = ""
	if !worth || result.Repeated != nil {
		return result
	}
	if who.Token == "" && about.subject != "" { // somebody who is new
		who = t.auditActor(*by.Actor, about.subject)
	}
	record := who
	record.Action, record.Thing, record.More = about.action, about.thing, about.more
	record.Left, record.Joined = about.left, about.joined
	if about.team != who.Team {
		record.ThingTeam = about.team
	}
	if result.Refused != nil {
		record.Refused, record.Reason = result.Refused.Code, result.Refused.Message
	}
	t.saveAudit(record, 0, about.everyday)
	return result
}

// auditActor is a record that says who acts: the one who has signed in, or else the one whom the command is about.
func (t *tables) auditActor(actor farm.Actor, subject string) farm.AuditRecord {
	record := farm.AuditRecord{At: actor.At, Address: actor.Address}
	id := actor.Token
	if id == "" {
		id = subject
	}
	if token, ok := often[farm.Token](t, bucketTokens, id); ok {
		record.Token, record.Name, record.Team, record.Person = token.ID, token.Name, token.Team, token.Person
	}
	return record
}

// saveAudit writes the nth record of the entry under way.
func (t *tables) saveAudit(r farm.AuditRecord, nth int, everyday bool) {
	for _, text := range []*string{&r.Name, &r.Address, &r.Thing.ID, &r.Thing.Name, &r.Left.Name, &r.Joined.ID, &r.Joined.Name, &r.Reason} {
		*text = clipped(*text, auditTextLimit)
	}
	var room [timeKeySize + 10]byte
	key := string(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(appendTimeKey(room[:0], r.At), t.entry), uint16(nth)))
	value, err := record.EncodeAudit(&r)
	t.setEncoded(bucketAudit, key, value, err)
	listAudit(&r, key, func(bucket []byte, key string) { t.set(bucket, key, nil) })
	if everyday {
		t.set(bucketAuditEveryday, key, nil)
	}
	t.add(countOfAudit, 1)
	t.dropAuditAbove(farm.MostAudited)
}

// dropAuditAbove forgets some of the records above a number, those of what happens every day before others.
func (t *tables) dropAuditAbove(most int) {
	for range auditDropped {
		if t.count(countOfAudit) <= most || !t.dropAudit(t.firstKey(bucketAuditEveryday)) && !t.dropAudit(t.firstKey(bucketAudit)) {
			break
		}
	}
}

// clipped is a text of at most so many bytes.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// listAudit tells where a record is found besides by time.
func listAudit(r *farm.AuditRecord, key string, do func(bucket []byte, key string)) {
	list := func(bucket []byte, id string) {
		if id != "" && !strings.Contains(id, sep) {
			do(bucket, id+sep+key)
		}
	}
	for _, team := range r.Teams() {
		list(bucketAuditByTeam, team)
	}
	list(bucketAuditByToken, r.Token)
	list(bucketAuditByThing, r.Thing.ID)
}

// firstKey is the first key of a bucket, "" when it is empty.
func (t *tables) firstKey(bucket []byte) string {
	key, _ := t.cursor(bucket).First()
	return string(key)
}

// dropAudit forgets a record, and says whether there was one.
func (t *tables) dropAudit(key string) bool {
	record, ok := get[farm.AuditRecord](t, bucketAudit, key)
	if !ok {
		return false
	}
	listAudit(&record, key, t.remove)
	t.remove(bucketAuditEveryday, key)
	t.remove(bucketAudit, key)
	t.add(countOfAudit, -1)
	return true
}

func (t *tables) recordAudit(c command.RecordAudit) command.Result {
	for i, record := range c.Records {
		if token, ok := often[farm.Token](t, bucketTokens, record.Token); ok {
			record.Name, record.Team, record.Person = token.Name, token.Team, token.Person
		}
		t.saveAudit(record, i, false)
	}
	return command.Result{}
}

func (t *tables) forgetAudit(c command.ForgetAudit) command.Result {
	before := timeKey(c.Before)
	for range c.Limit {
		key := t.firstKey(bucketAudit)
		if key == "" || key[:timeKeySize] >= before {
			break
		}
		t.dropAudit(key)
	}
	return command.Result{}
}
