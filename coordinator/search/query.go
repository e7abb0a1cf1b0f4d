package search

import (
	"encoding/binary"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"

	"overcrank/farm"
)

// Bounds on what may be asked for.
const (
	MaxQuery   = 200 // characters
	mostAsked  = 16  // words
	mostLooked = 200_000
)

// Query is what somebody looks for: records that have all the words, of which the last may be the beginning of one.
type Query struct {
	words []string
	last  string
}

// Read reads what somebody typed. A text without any word finds nothing.
func Read(text string) (Query, error) {
	if n := len([]rune(text)); n > MaxQuery {
		return Query{}, farm.Invalid("this cannot be searched for", farm.Field("q", "may have %d characters, not %d", MaxQuery, n))
	}
	var q Query
	for word := range splitWords(text) {
		if q.last != "" {
			q.words = append(q.words, q.last)
		}
		q.last = word
	}
	if len(q.words) >= mostAsked {
		return Query{}, farm.Invalid("this cannot be searched for", farm.Field("q", "may have %d words, not %d", mostAsked, len(q.words)+1))
	}
	return q, nil
}

// Empty says that there is no word in the query.
func (q Query) Empty() bool { return q.last == "" && len(q.words) == 0 }

// within says whether a text alone has what is asked for.
func (q Query) within(text string) bool {
	found := false
	missing := map[string]bool{}
	for _, word := range q.words {
		missing[word] = true
	}
	for word := range splitWords(text) {
		delete(missing, word)
		found = found || strings.HasPrefix(word, q.last)
	}
	return found && len(missing) == 0
}

// is says whether a text is what was asked for, as a whole.
func (q Query) is(text string) bool {
	return len(q.words) == 0 && strings.ToLower(text) == q.last
}

// find gives the ids of the records of a shelf that a query is about, the latest first, until yield wants no more: those before an id, or all
// where it is "". all says that it has looked at everything: a word that begins as very many others do is not followed to the end.
func (x *index) find(s shelf, q Query, before string, yield func(id string) bool) (all bool, err error) {
	return x.walk(s, q, func(ids *bbolt.Bucket, lowest, highest uint32) (from, to uint32, some bool) {
		if before != "" {
			highest = min(highest, lastBefore(ids, before))
		}
		return highest, lowest, highest >= lowest
	}, func(id string) bool { return before != "" && id >= before || yield(id) })
}

// findAfter is find the other way: from the first record behind an id on.
func (x *index) findAfter(s shelf, q Query, after string, yield func(id string) bool) (all bool, err error) {
	return x.walk(s, q, func(ids *bbolt.Bucket, lowest, highest uint32) (from, to uint32, some bool) {
		first, some := firstAfter(ids, after)
		return max(lowest, first), highest, some && first <= highest
	}, func(id string) bool { return id <= after || yield(id) })
}

// walk gives what a query is about from one number of records to another, which bound chooses of the lowest and the highest there is.
func (x *index) walk(s shelf, q Query, bound func(ids *bbolt.Bucket, lowest, highest uint32) (from, to uint32, some bool), yield func(id string) bool) (all bool, err error) {
	err = x.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(s.name())
		if b == nil || q.Empty() {
			all = true
			return nil
		}
		records, words := b.Bucket(bucketRecords), b.Bucket(bucketWords).Cursor()
		first, _ := records.Cursor().First()
		last, _ := records.Cursor().Last()
		if first == nil {
			all = true
			return nil
		}
		from, to, some := bound(b.Bucket(bucketIDs), binary.BigEndian.Uint32(first), binary.BigEndian.Uint32(last))
		if !some {
			all = true
			return nil
		}
		segment, up := from>>segmentBits, from < to
		for left := mostLooked; left > 0; {
			places, looked := q.in(words, segment, left)
			left -= looked
			for place := range places.places(up) {
				ordinal := segment<<segmentBits | uint32(place)
				if ordinal < min(from, to) || ordinal > max(from, to) {
					continue
				}
				id := records.Get(binary.BigEndian.AppendUint32(nil, ordinal))
				if id != nil && !yield(string(id)) {
					return nil
				}
			}
			switch {
			case segment == to>>segmentBits:
				all = left > 0
				return nil
			case up:
				segment++
			default:
				segment--
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("searching: %w", err)
	}
	return all, nil
}

// nearby is among how many neighbours of an id the record with the outermost number is looked for: records that come together are numbered in the order
// of their ids, those that come at the same time from several coordinators nearly so.
const nearby = 64

// lastBefore is the highest number of the records whose ids stand just before another in their order, 0 when there is none.
func lastBefore(ids *bbolt.Bucket, id string) (last uint32) {
	cursor := ids.Cursor()
	var row []byte
	if key, _ := cursor.Seek([]byte(id)); key == nil {
		_, row = cursor.Last()
	} else {
		_, row = cursor.Prev()
	}
	for range nearby {
		if len(row) != rowSize {
			break
		}
		last = max(last, binary.BigEndian.Uint32(row))
		_, row = cursor.Prev()
	}
	return last
}

// firstAfter is the lowest number of the records whose ids stand just behind another in their order; some is false when there is none.
func firstAfter(ids *bbolt.Bucket, id string) (first uint32, some bool) {
	cursor := ids.Cursor()
	first = maxOrdinal
	_, row := cursor.Seek([]byte(id + "\x00"))
	for range nearby {
		if len(row) != rowSize {
			break
		}
		first, some = min(first, binary.BigEndian.Uint32(row)), true
		_, row = cursor.Next()
	}
	return first, some
}

// in gives the records of a segment that a query is about, and at how many words it looked, at most limit.
func (q Query) in(words *bbolt.Cursor, segment uint32, limit int) (places set, looked int) {
	var whole set
	for i, word := range q.words {
		looked++
		wanted := wordKey(segment, word)
		var with set
		if key, list := words.Seek(wanted); string(key) == string(wanted) {
			with.add(list)
		}
		if i == 0 {
			whole = with
		} else {
			whole.and(&with)
		}
		if whole.empty() {
			return whole, looked
		}
	}
	if q.last == "" {
		return whole, looked
	}
	prefix := wordKey(segment, q.last)
	for key, list := words.Seek(prefix); looked < limit; key, list = words.Next() {
		looked++
		if len(key) < len(prefix) || string(key[:len(prefix)]) != string(prefix) {
			break
		}
		places.add(list)
	}
	if len(q.words) > 0 {
		places.and(&whole)
	}
	return places, looked
}
