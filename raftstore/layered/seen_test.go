package layered

import (
	"bytes"
	"strconv"
	"testing"
)

// TestWhatWasSeenIsBounded reads more than there is room for. What is too large is not kept, what is kept is not read again.
func TestWhatWasSeenIsBounded(t *testing.T) {
	const place = 3
	s, reads := newSeen([]int{place}), 0
	get := func(key string, value []byte) []byte {
		return s.get(place, key, func() []byte { reads++; return value })
	}
	if !s.keeps(place) || s.keeps(place+1) {
		t.Fatal("the wrong buckets are kept")
	}
	value := []byte("value")
	if got := get("a", value); string(got) != "value" {
		t.Fatalf("the row reads as %q", got)
	}
	value[0] = 'V' // as the file's memory is another row's once the reading is over
	if got := get("a", value); string(got) != "value" || reads != 1 {
		t.Fatalf("the row reads as %q after %d readings of the file", got, reads)
	}
	for range 2 {
		if get("none", nil) != nil || reads != 2 {
			t.Fatalf("a key that is not there took %d readings of the file", reads-1)
		}
	}
	large := bytes.Repeat([]byte{1}, seenSize)
	for n := range 2 {
		if !bytes.Equal(get("large", large), large) || reads != 3+n {
			t.Fatal("a large row is kept")
		}
	}
	for n := range 4 * seenRoom / 1000 {
		get(strconv.Itoa(n), large[:1000])
		if kept := len(s.rows[place]); kept > seenRoom/1000 {
			t.Fatalf("%d rows of a thousand bytes are kept", kept)
		}
	}
}
