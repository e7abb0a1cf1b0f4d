package search

import (
	"encoding/json"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
)

// record is an entry on its way to the index. Words are taken of what may cost more to read than what the stamp is made of.
type record struct {
	shelf shelf
	entry entry
	words func(*raftstore.Tx) ([]string, error)
}

// stampOf is made of all that the words of a record come from, or that changes when they do.
func stampOf(texts ...string) uint64 {
	sum := emptySum
	for _, text := range texts {
		sum = sum.stamped(text)
	}
	return uint64(sum)
}

// sum64 is FNV-1a of what was added to it: that of the standard library takes an allocation for each text.
type sum64 uint64

const emptySum sum64 = 14695981039346656037

func (s sum64) with(b byte) sum64 { return (s ^ sum64(b)) * 1099511628211 }

func (s sum64) withText(text string) sum64 {
	for i := range len(text) {
		s = s.with(text[i])
	}
	return s
}

// stamped adds a text of a stamp with its length.
func (s sum64) stamped(text string) sum64 {
	n := uint32(len(text))
	return s.with(byte(n >> 24)).with(byte(n >> 16)).with(byte(n >> 8)).with(byte(n)).withText(text)
}

// moment is a time in a stamp.
func moment(at time.Time) string {
	if at.IsZero() && at.Location() == time.UTC {
		return "0001-01-01 00:00:00 +0000 UTC" // as String has it, which most jobs' are
	}
	return at.String()
}

// recordOf reads a record; CodeNotFound when it is gone, or is none that is searched for.
func recordOf(tx *raftstore.Tx, kind Kind, id string) (record, error) {
	switch kind {
	case KindJob:
		job, err := tx.JobHead(id)
		return jobRecord(job), err
	case KindBatch:
		batch, err := tx.Batch(id)
		if err == nil && batch.Name == "" {
			err = farm.Errorf(farm.CodeNotFound, "there is no batch %q", id) // that has a name
		}
		return batchRecord(batch), err
	case KindTemplate:
		template, err := tx.Template(id)
		return templateRecord(template), err
	case KindMachine:
		agent, err := tx.Agent(id)
		return machineRecord(agent), err
	default:
		token, err := tx.Token(id)
		if err == nil && !token.Person {
			err = farm.Errorf(farm.CodeNotFound, "%q is not a person", id)
		}
		return personRecord(token), err
	}
}

// jobRecord is a job by its head. Its values are in its content, which changes only when something is taken out of it.
func jobRecord(head farm.Job) record {
	stamp := emptySum.stamped(head.Name).stamped(moment(head.RedactedAt)).stamped(moment(head.ErasedAt))
	for _, tag := range head.Tags {
		stamp = stamp.stamped(tag)
	}
	id := head.ID
	words := func(tx *raftstore.Tx) ([]string, error) {
		job, err := tx.Job(id)
		return wordsOfJob(job), err
	}
	return record{shelf{KindJob, head.Team}, entry{id: id, stamp: uint64(stamp)}, words}
}

// wordsOfJob are those that people would look for first come first: there is room for mostWords. Addresses are left out, since they may hold
// what lets their reader in.
func wordsOfJob(job farm.Job) []string {
	var l wordList
	for _, text := range []string{job.ID, job.Batch, job.Template.ID, job.Name, job.SubmittedBy, job.Template.Composition} {
		l.add(text)
	}
	for _, tag := range job.Tags {
		l.add(tag)
	}
	for _, a := range job.Assets {
		l.add(valueOf(a))
	}
	return append(l.words, marksOf(job)...)
}

// valueOf is the text or number that an asset puts into a layer, "" for what is neither.
func valueOf(a farm.Asset) string {
	if len(a.Value) == 0 {
		return ""
	}
	var text string
	switch first := a.Value[0]; {
	case isPlain(a.Value):
		text = string(a.Value[1 : len(a.Value)-1])
	case first == '"':
		if json.Unmarshal(a.Value, &text) != nil {
			return ""
		}
	case first == '-' || first >= '0' && first <= '9':
		text = string(a.Value)
	}
	if text == farm.Redacted || strings.Contains(text, "://") || strings.HasPrefix(text, "data:") {
		return ""
	}
	return text
}

// isPlain says whether a JSON value is a string of ASCII in which nothing is escaped, as most are.
func isPlain(value []byte) bool {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return false
	}
	for _, b := range value[1 : len(value)-1] {
		if b < ' ' || b > '~' || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}

// batchRecord is a batch by its name. By all else it is found through its jobs.
func batchRecord(b farm.Batch) record {
	var l wordList
	l.add(b.Name)
	return record{shelf{KindBatch, b.Team}, entry{b.ID, stampOf(l.words...), l.words}, nil}
}

func templateRecord(t farm.Template) record {
	var l wordList
	for _, text := range append([]string{t.ID, t.DisplayName}, t.Compositions...) {
		l.add(text)
	}
	return record{shelf{KindTemplate, t.Team}, entry{t.ID, stampOf(l.words...), l.words}, nil}
}

func machineRecord(a farm.Agent) record {
	var l wordList
	for _, text := range []string{a.ID, a.Name, a.Inventory.OS, a.Inventory.GPU} {
		l.add(text)
	}
	for _, tag := range append(a.Tags, a.Inventory.Tags...) {
		l.add(tag)
	}
	return record{shelf{KindMachine, ""}, entry{a.ID, stampOf(l.words...), l.words}, nil}
}

func personRecord(t farm.Token) record {
	var l wordList
	for _, text := range []string{t.ID, t.Name, string(t.Role)} {
		l.add(text)
	}
	return record{shelf{KindPerson, t.Team}, entry{t.ID, stampOf(l.words...), l.words}, nil}
}
