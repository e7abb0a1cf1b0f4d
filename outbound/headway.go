package outbound

import (
	"context"
	"errors"
	"sync"
	"time"
)

// LeastPerMinute is how many bytes of a file have to move in a minute.
const LeastPerMinute = 256 << 10

var (
	// ErrStalled is the error of a transfer of which nothing moves any more.
	ErrStalled = errors.New("timed out")
	// ErrTooSlow is the error of a transfer that moves so little that it would hold its place for days.
	ErrTooSlow = errors.New("too slow: less than 256 KiB a minute")
)

// Headway is what a transfer has to make. A server that sends a byte now and then must not hold its place any longer than a silent one.
type Headway struct {
	Stall  time.Duration // longest time without a byte
	Window time.Duration
	Least  int64 // bytes that move within each Window
}

// UsualHeadway asks for LeastPerMinute, in windows that are longer than what may pass without a byte.
func UsualHeadway(stall time.Duration) Headway {
	minutes := stall/time.Minute + 1
	return Headway{Stall: stall, Window: minutes * time.Minute, Least: int64(minutes) * LeastPerMinute}
}

// Watch watches over a transfer that begins now. It calls end with ErrStalled or ErrTooSlow, until Stop.
func (h Headway) Watch(end context.CancelCauseFunc) *Watch {
	w := &Watch{asked: h, end: end}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stall = time.AfterFunc(h.Stall, func() { end(ErrStalled) })
	w.window = time.AfterFunc(h.Window, w.look)
	return w
}

// Watch counts what moves of a transfer. It may be used concurrently.
type Watch struct {
	asked Headway
	end   context.CancelCauseFunc

	mu            sync.Mutex
	stall, window *time.Timer
	moved         int64 // in this window
	stopped       bool
}

// Moved notes that bytes have moved.
func (w *Watch) Moved(bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped || bytes <= 0 {
		return
	}
	w.moved += int64(bytes)
	w.stall.Reset(w.asked.Stall)
}

// look is called at the end of each window.
func (w *Watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.stopped:
	case w.moved < w.asked.Least:
		w.end(ErrTooSlow)
	default:
		w.moved = 0
		w.window.Reset(w.asked.Window)
	}
}

// Stop ends the watch.
func (w *Watch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.stall.Stop()
	w.window.Stop()
}
