package inbound_test

import (
	"errors"
	"testing"

	"overcrank/inbound"
)

func TestAGateLetsInWhatItsBoundsAllow(t *testing.T) {
	g := inbound.NewGate(2, 3)
	enter := func(caller string) func() {
		t.Helper()
		leave, err := g.Enter(caller)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	first := enter("one")
	enter("one")
	if _, err := g.Enter("one"); !errors.Is(err, inbound.ErrCallerLimit) {
		t.Errorf("the third of one caller: %v", err)
	}
	other := enter("other")
	if _, err := g.Enter("third"); !errors.Is(err, inbound.ErrTotalLimit) {
		t.Errorf("the fourth of all: %v", err)
	}
	first()
	first() // leaves once
	enter("third")
	if _, err := g.Enter("one"); !errors.Is(err, inbound.ErrTotalLimit) {
		t.Errorf("with three in: %v", err)
	}
	other()
	enter("one")
	if g.Open() != 3 || g.Refused() != 3 {
		t.Errorf("%d are in and %d were refused, want 3 and 3", g.Open(), g.Refused())
	}
	open := (*inbound.Gate)(nil)
	if leave, err := open.Enter("anybody"); err != nil {
		t.Error("no gate refuses somebody:", err)
	} else {
		leave()
	}
}
