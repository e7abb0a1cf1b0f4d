package farmclient

import (
	"slices"
	"testing"
)

func TestWhichCoordinatorIsTriedNext(t *testing.T) {
	t.Parallel()
	c := newCoordinators([]string{"http://a:8080/", " https://b ", "http://a:8080"})
	c.SetAddresses([]string{"https://c", "http://localhost:1", "http://127.0.0.1:2"})
	c.SetGossip(func() []string { return []string{"https://d", ""} })
	want := []string{"https://a:8080", "https://b", "https://c", "https://d"}
	if got := c.knownLocked(); !slices.Equal(got, want) {
		t.Fatalf("known are %v, want %v", got, want)
	}
	if c.Address() != want[0] {
		t.Errorf("it begins with %s", c.Address())
	}
	for range 5 { // rounds
		tried := []string{c.Address()}
		for range 3 {
			if c.TryNext() {
				t.Fatal("a round has ended before all were tried")
			}
			tried = append(tried, c.Address())
		}
		slices.Sort(tried)
		if !slices.Equal(tried, want) {
			t.Fatalf("tried were %v", tried)
		}
		last := c.Address()
		if !c.TryNext() || c.Address() == last {
			t.Fatalf("after all were tried in vain it goes on with %s, the last was %s", c.Address(), last)
		}
	}
}

func TestTheOneThatLeadsIsTurnedToUnlessItWasTriedInVain(t *testing.T) {
	t.Parallel()
	c := newCoordinators([]string{"https://a", "https://b"})
	if c.TryLeader("") {
		t.Error("nobody leads, and it turned to somebody")
	}
	if !c.TryLeader("http://z:8080") || c.Address() != "https://z:8080" {
		t.Errorf("sent on, it turned to %s", c.Address())
	}
	c.TryNext() // z does not answer
	if c.TryLeader("http://z:8080") {
		t.Error("one that did not answer just now was believed to lead")
	}
	c.Welcomed()
	if !c.TryLeader("http://z:8080") {
		t.Error("what was in vain is held against a coordinator for ever")
	}
	alone := newCoordinators([]string{"https://a"})
	if !alone.TryNext() || alone.Address() != "https://a" || alone.Several() {
		t.Errorf("with one coordinator it turned to %s", alone.Address())
	}
}

func TestAddressesAreTakenForTLS(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"http://farm.local:8080": "https://farm.local:8080", "http://farm.local": "https://farm.local:80", "https://farm.local": "https://farm.local",
		"http://[::1]:8080": "https://[::1]:8080", "http://[::1]": "https://[::1]:80", "": "",
	} {
		if got := OverTLS(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
