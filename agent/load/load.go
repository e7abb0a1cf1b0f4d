// Package load measures how busy a machine is: its processors, its memory, and the room on the disk where tasks work.
package load

import (
	"time"

	"overcrank/durable"
	"overcrank/farm"
	"overcrank/memory"
)

// every is the shortest time between two measurements.
const every = 10 * time.Second

// Meter measures a machine now and then. It is used by one goroutine at a time.
type Meter struct {
	dir    string // on the disk that tasks use
	at     time.Time
	before ticks
	known  bool // before was read
}

// ticks are how much time all processors have had since the machine started, and how much of it they worked.
type ticks struct{ busy, all uint64 }

// NewMeter measures a machine whose tasks work below dir.
func NewMeter(dir string) *Meter {
	m := &Meter{dir: dir}
	m.before, m.known = processors()
	return m
}

// Measure is how busy the machine was since the last measurement; nil when that was a moment ago.
func (m *Meter) Measure(now time.Time) *farm.Load {
	if !m.at.IsZero() && now.Sub(m.at) < every && !now.Before(m.at) {
		return nil
	}
	m.at = now
	l := farm.Load{Processor: m.processor(), DiskFree: -1}
	if free, known := memory.Available(); known {
		l.Memory = max(memory.Total()-free, 0)
	}
	if free, _, err := durable.Space(m.dir); err == nil {
		l.DiskFree = free
	}
	return &l
}

// processor is how busy the processors were since it was asked last, in percent; below 0 when not known.
func (m *Meter) processor() float64 {
	if percent, known := average(); known {
		return percent
	}
	now, known := processors()
	was, before := m.before, m.known
	m.before, m.known = now, known
	if !known || !before {
		return -1
	}
	return share(was, now)
}

// share is how much of the time between two readings the processors worked, in percent; below 0 when no time has passed.
func share(was, now ticks) float64 {
	if now.all <= was.all || now.busy < was.busy {
		return -1
	}
	return 100 * min(float64(now.busy-was.busy)/float64(now.all-was.all), 1)
}
