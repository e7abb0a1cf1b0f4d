package web

import (
	"strings"
	"testing"
	"time"
)

func TestASessionOpensOnlyAsItWasSealed(t *testing.T) {
	s := sessions{key: []byte("key")}
	now := time.Now()
	sealed := s.seal("01TOKEN", now.Add(time.Hour))
	if id, ok := s.open(sealed, now); !ok || id != "01TOKEN" {
		t.Fatalf("open: %q, %v", id, ok)
	}
	other := sessions{key: []byte("another key")}
	for name, cookie := range map[string]string{
		"empty": "", "no signature": "01TOKEN.99999999999", "another token": strings.Replace(sealed, "01TOKEN", "02TOKEN", 1),
		"a later end": strings.Replace(sealed, ".", ".9", 1), "another farm's": other.seal("01TOKEN", now.Add(time.Hour)),
	} {
		if id, ok := s.open(cookie, now); ok {
			t.Errorf("%s: opened as %q", name, id)
		}
	}
	if _, ok := s.open(sealed, now.Add(2*time.Hour)); ok {
		t.Error("it opened after its end")
	}
}
