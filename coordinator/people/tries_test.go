package people

import (
	"strconv"
	"testing"
	"time"
)

func TestTriesAreLimitedByAccountAndComeBack(t *testing.T) {
	tries, now := newTries(), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	from := func(n int) Try { return Try{Account: "mia", Address: "192.0.2." + strconv.Itoa(n)} }
	for n := range accountTries {
		if wait := tries.take(from(n), now); wait > 0 {
			t.Fatalf("try %d waits %s", n, wait)
		}
	}
	if wait := tries.take(from(100), now); wait <= 0 || wait > TryPause {
		t.Errorf("one too many waits %s", wait)
	}
	if wait := tries.take(Try{Account: "mia", Browser: "hers", Address: "192.0.2.100"}, now); wait > 0 {
		t.Errorf("her own browser waits %s", wait)
	}
	if wait := tries.take(Try{Account: "ben", Address: "192.0.2.100"}, now); wait > 0 {
		t.Errorf("another account waits %s", wait)
	}
	if wait := tries.take(from(101), now.Add(TryPause)); wait > 0 {
		t.Errorf("a pause later it waits %s", wait)
	}
}

func TestTriesAreLimitedByAddress(t *testing.T) {
	tries, now := newTries(), time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for n := range addressTries {
		if wait := tries.take(Try{Account: strconv.Itoa(n), Address: "192.0.2.1"}, now); wait > 0 {
			t.Fatalf("try %d waits %s", n, wait)
		}
	}
	if wait := tries.take(Try{Account: "x", Address: "192.0.2.1"}, now); wait <= 0 || wait > addressPause {
		t.Errorf("one too many waits %s", wait)
	}
	if wait := tries.take(Try{Account: "x", Address: "192.0.2.2"}, now); wait > 0 {
		t.Errorf("another address waits %s", wait)
	}
}

func TestABrowserIsKnownOnlyForItsAccount(t *testing.T) {
	d := &Directory{derive: func(purpose string, size int) []byte { return []byte(purpose)[:min(size, len(purpose))] }}
	text := d.KnownBrowser("mia")
	if d.knownAs(text, "mia") == "" || d.knownAs(text, "ben") != "" || d.knownAs("", "mia") != "" || d.knownAs("mia.x.y", "mia") != "" {
		t.Errorf("%q is known as %q for mia and %q for ben", text, d.knownAs(text, "mia"), d.knownAs(text, "ben"))
	}
}
