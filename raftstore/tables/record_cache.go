package tables

import (
	"bytes"
	"sync"

	"overcrank/farm"
)

// Cache keeps records that nearly every request reads, such as who calls and with which template, as they were decoded
// last. What is kept is good for the very bytes that it was decoded from, which are compared each time: a change needs no
// word to it, on whichever node.
type Cache struct {
	templates decodedRecords[farm.Template]
	tokens    decodedRecords[farm.Token]
	teams     decodedRecords[farm.Team]
}

const (
	decodedLimit = 1024     // records of one kind
	decodedSize  = 64 << 10 // bytes of the largest record that is kept
)

type decodedRecords[R any] struct {
	mu   sync.RWMutex
	byID map[string]decodedRecord[R]
}

type decodedRecord[R any] struct {
	text   []byte
	record R
}

// often reads one record like get. What it gives is shared: nobody may change what it points to.
func often[R any](t *tables, kept *decodedRecords[R], bucket []byte, key string) (record R, found bool) {
	text := t.value(bucket, key)
	if text == nil {
		return record, false
	}
	kept.mu.RLock()
	was, hit := kept.byID[key]
	kept.mu.RUnlock()
	if hit && bytes.Equal(was.text, text) {
		return was.record, true
	}
	record, found = get[R](t, bucket, key)
	if !found || len(text) > decodedSize {
		return record, found
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.byID == nil || len(kept.byID) >= decodedLimit {
		kept.byID = make(map[string]decodedRecord[R])
	}
	kept.byID[key] = decodedRecord[R]{text: bytes.Clone(text), record: record}
	return record, true
}
