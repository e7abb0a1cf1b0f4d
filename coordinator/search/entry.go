package search

import (
	"encoding/binary"
	"encoding/json"
	"hash"
	"hash/fnv"
	"strings"

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
	sum := fnv.New64a()
	for _, text := range texts {
		stampText(sum, text)
	}
	return sum.Sum64()
}

func stampText(sum hash.Hash64, text string) {
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(text)))
	_, _ = sum.Write(size[:]) // a hash takes everything
	_, _ = sum.Write([]byte(text))
}

// recordOf reads a record; CodeNotFound when it is gone, or is none that is searched for.
func recordOf(tx *raftstore.Tx, kind Kind, id string) (record, error) {
	switch kind {
	case KindJob:
		job, err := tx.JobHead(id)
		return jobRecord(job), err
	case KindTemplate:
		template, err := tx.Template(id)
		return templateRecord(template), err
	case KindMachine:
		agent, err := tx.Agent(id)
		return machineRecord(agent), err
	default:
		token, err := tx.Token(id)
		if err == nil && !token.Person {
			err = farm.Errorf(farm.CodeNotFound, "%q is no person", id)
		}
		return personRecord(token), err
	}
}

// jobRecord is a job by its head. Its values are in its content, which changes only when something is taken out of it.
func jobRecord(head farm.Job) record {
	stamp := append([]string{head.Name, head.RedactedAt.String(), head.ErasedAt.String()}, head.Tags...)
	words := func(tx *raftstore.Tx) ([]string, error) {
		job, err := tx.Job(head.ID)
		return wordsOfJob(job), err
	}
	return record{shelf{KindJob, head.Team}, entry{id: head.ID, stamp: stampOf(stamp...)}, words}
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
