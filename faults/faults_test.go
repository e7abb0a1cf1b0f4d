package faults_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"overcrank/faults"
)

func TestAClockThatIsSetShowsAnotherTimeAndCountsOn(t *testing.T) {
	for _, by := range []time.Duration{0, time.Hour, -time.Hour, 400 * 24 * time.Hour, -400 * 24 * time.Hour} {
		began := time.Now()
		set := faults.Shift(began, by)
		if shown := set.Round(0).Sub(began.Round(0)); shown != by {
			t.Errorf("set by %v the clock shows %v more", by, shown)
		}
		if passed := set.Sub(began); passed != 0 {
			t.Errorf("set by %v, %v have passed", by, passed)
		}
		if set.Nanosecond() != began.Nanosecond() {
			t.Errorf("set by %v, the part of the second is %d instead of %d", by, set.Nanosecond(), began.Nanosecond())
		}
		if back := faults.Shift(set, -by); back != began {
			t.Errorf("set by %v and back: %v instead of %v", by, back, began)
		}
	}
}

func TestATimeOfARecordMovesAsAWhole(t *testing.T) {
	at := time.Date(2026, 11, 21, 22, 0, 0, 5, time.UTC)
	if moved := faults.Shift(at, -time.Hour); !moved.Equal(at.Add(-time.Hour)) {
		t.Errorf("moved to %v", moved)
	}
}

func TestFaultsAreRead(t *testing.T) {
	for _, c := range []struct {
		text string
		want faults.Faults
		bad  bool
	}{
		{text: ""},
		{text: "clock +1h\n", want: faults.Faults{Clock: time.Hour}},
		{text: "clock -1h\nsync 250ms\n\ndisk full", want: faults.Faults{Clock: -time.Hour, Sync: 250 * time.Millisecond, Disk: syscall.ENOSPC}},
		{text: "disk read-only", want: faults.Faults{Disk: syscall.EROFS}},
		{text: "disk slow", bad: true},
		{text: "clock", bad: true},
		{text: "clock soon", bad: true},
		{text: "memory full", bad: true},
	} {
		got, err := faults.Parse(c.text)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
}

func TestAMachineFollowsItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faults")
	m := faults.NewMachine()
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() { m.Follow(ctx, path, slog.New(slog.DiscardHandler)) })
	defer following.Wait()
	defer cancel()
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	until := func(what string, true func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !true(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the machine's %s never came", what)
			}
		}
	}
	ahead := func() time.Duration { return m.Now().Round(0).Sub(time.Now().Round(0)).Round(time.Minute) }
	write("clock +1h\ndisk full\n")
	until("clock", func() bool { return ahead() == time.Hour })
	if err := m.BeforeSync(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk says %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	until("recovery", func() bool { return ahead() == 0 && m.BeforeSync() == nil })
}
