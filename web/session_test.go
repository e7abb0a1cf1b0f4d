package web

import (
	"strings"
	"testing"
	"time"

	"overcrank/farm"
)

func TestASessionOpensOnlyAsItWasSealed(t *testing.T) {
	s := sessions{key: []byte("key")}
	now := time.Now()
	session := farm.Session{ID: "S1", Until: now.Add(time.Hour).Truncate(time.Second)}
	sealed := s.seal("01TOKEN", session)
	if id, opened, ok := s.open(sealed); !ok || id != "01TOKEN" || opened.ID != session.ID || !opened.Until.Equal(session.Until) {
		t.Fatalf("open: %q, %+v, %v", id, opened, ok)
	}
	other := sessions{key: []byte("another key")}
	for name, cookie := range map[string]string{
		"empty": "", "no signature": "01TOKEN.99999999999", "another token": strings.Replace(sealed, "01TOKEN", "02TOKEN", 1),
		"a later end": strings.Replace(sealed, "S1.", "S1.9", 1), "another session": strings.Replace(sealed, "S1", "S2", 1),
		"another farm's": other.seal("01TOKEN", session), "an earlier release's": "01TOKEN.99999999999." + s.signature("01TOKEN.99999999999"),
	} {
		if id, _, ok := s.open(cookie); ok {
			t.Errorf("%s: opened as %q", name, id)
		}
	}
}
