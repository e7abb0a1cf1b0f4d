package storage

import (
	"testing"
	"time"
)

func TestLeaderNoteIsFreshDespiteClockSkew(t *testing.T) {
	for name, by := range map[string]time.Duration{"ahead": time.Hour, "behind": -time.Hour} {
		var s leaderNote
		note := func(content string) nodeNote { return nodeNote{At: time.Now().Add(by), Content: content} }
		if first, again := s.fresh(note("a")), s.fresh(note("a")); first || again {
			t.Errorf("%s: a note from another time that does not change is taken for one that is being written", name)
		}
		if first, again := s.fresh(note("b")), s.fresh(note("b")); !first || !again {
			t.Errorf("%s: a note that has just changed is taken for an old one", name)
		}
		s.changed = time.Now().Add(-2 * unseenFor)
		if s.fresh(note("b")) {
			t.Errorf("%s: a note that changed long ago is taken for one that is being written", name)
		}
	}
	var s leaderNote
	if !s.fresh(nodeNote{At: time.Now(), Content: "a"}) {
		t.Error("a note of now is taken for an old one")
	}
}
