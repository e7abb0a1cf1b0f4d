package load

import (
	"testing"
	"time"

	"overcrank/memory"
)

func TestProcessorsAreReadAsLinuxCountsThem(t *testing.T) {
	was, known := parseStat("cpu  100 20 30 800 50 0 0 0 10 0")
	if want := (ticks{busy: 150, all: 1000}); !known || was != want {
		t.Errorf("read %+v, %v", was, known)
	}
	now, _ := parseStat("cpu  160 20 30 830 60 0 0 0 70 0")
	if got := share(was, now); got != 60 {
		t.Errorf("60 of 100 ticks are %v %%", got)
	}
	for _, wrong := range []string{"", "cpu", "cpu0 1 2 3 4 5 6 7", "cpu 1 2 x 4 5 6 7", "intr 1 2 3 4 5 6 7"} {
		if _, known := parseStat(wrong); known {
			t.Errorf("%q was read", wrong)
		}
	}
	if share(now, was) >= 0 || share(now, now) >= 0 {
		t.Error("a count that did not grow tells something")
	}
}

func TestAMachineIsMeasuredNowAndThen(t *testing.T) {
	m, now := NewMeter(t.TempDir()), time.Now()
	l := m.Measure(now)
	if l == nil || l.DiskFree <= 0 || l.Memory <= 0 || l.Memory > memory.Total() || l.Processor > 100 {
		t.Fatalf("measured %+v", l)
	}
	if again := m.Measure(now.Add(every - 1)); again != nil {
		t.Errorf("a moment later: %+v", again)
	}
	if m.Measure(now.Add(every)) == nil || m.Measure(now) == nil {
		t.Error("it is not measured again, or not when the clock was set back")
	}
	if gone := NewMeter("/nowhere/at/all").Measure(now); gone.DiskFree >= 0 {
		t.Errorf("a disk that is not there has %d bytes", gone.DiskFree)
	}
}
