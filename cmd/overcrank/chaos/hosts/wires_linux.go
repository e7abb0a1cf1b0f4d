package hosts

import (
	"container/heap"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Fault is what befalls the frames of one direction between two hosts.
type Fault struct {
	Cut    bool          // none arrives
	Loss   float64       // the part of them that does not arrive, from 0 to 1
	Delay  time.Duration // how much later they arrive
	Jitter time.Duration // up to so much later still, without changing their order
}

// direction is from one host to another, by their numbers.
type direction struct{ from, to byte }

// wires is the switch: it knows each host's port by the number in its hardware address, and what befalls frames on their way.
type wires struct {
	mu     sync.Mutex
	ports  map[byte]*port
	faults map[direction]Fault
	last   map[direction]time.Time // when the latest delayed frame of a direction arrives
	late   lateFrames
	sent   uint64

	wake  chan struct{}
	quit  chan struct{}
	clock sync.WaitGroup
}

func newWires() *wires {
	w := &wires{
		ports: map[byte]*port{}, faults: map[direction]Fault{}, last: map[direction]time.Time{},
		wake: make(chan struct{}, 1), quit: make(chan struct{}),
	}
	w.clock.Go(w.deliverLate)
	return w
}

func (w *wires) add(number byte, p *port) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ports[number] = p
}

func (w *wires) set(from, to byte, f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := direction{from, to}
	if f == (Fault{}) {
		delete(w.faults, d)
		return
	}
	w.faults[d] = f
}

func (w *wires) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.faults)
}

// carry takes a frame from a host to its receiver, or to all for a broadcast.
func (w *wires) carry(from byte, frame []byte) {
	const header = offload + 14 // Ethernet: receiver, sender, type
	if len(frame) < header {
		return
	}
	if kind := binary.BigEndian.Uint16(frame[offload+12:]); kind != unix.ETH_P_IP && kind != unix.ETH_P_ARP {
		return
	}
	receiver := frame[offload : offload+6]
	if receiver[0]&1 == 0 {
		w.forward(direction{from, receiver[5]}, frame)
		return
	}
	w.mu.Lock()
	all := make([]byte, 0, len(w.ports))
	for number := range w.ports {
		if number != from {
			all = append(all, number)
		}
	}
	w.mu.Unlock()
	for _, to := range all {
		w.forward(direction{from, to}, frame)
	}
}

// forward lets a frame suffer what its direction suffers.
func (w *wires) forward(d direction, frame []byte) {
	w.mu.Lock()
	to := w.ports[d.to]
	f := w.faults[d]
	switch {
	case to == nil || f.Cut || f.Loss > 0 && rand.Float64() < f.Loss:
		w.mu.Unlock()
		return
	case f.Delay > 0 || f.Jitter > 0:
		w.postpone(d, to, f, frame)
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	to.write(frame)
}

// postpone keeps a frame until it is due; w.mu is held.
func (w *wires) postpone(d direction, to *port, f Fault, frame []byte) {
	due := time.Now().Add(f.Delay)
	if f.Jitter > 0 {
		due = due.Add(rand.N(f.Jitter))
	}
	if due.Before(w.last[d]) {
		due = w.last[d]
	}
	w.last[d] = due
	w.sent++
	heap.Push(&w.late, lateFrame{due: due, order: w.sent, to: to, frame: slices.Clone(frame)})
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// deliverLate writes postponed frames when they are due.
func (w *wires) deliverLate() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		w.mu.Lock()
		var due []lateFrame
		for now := time.Now(); len(w.late) > 0 && !w.late[0].due.After(now); {
			due = append(due, heap.Pop(&w.late).(lateFrame))
		}
		wait := time.Hour
		if len(w.late) > 0 {
			wait = time.Until(w.late[0].due)
		}
		w.mu.Unlock()
		for _, l := range due {
			l.to.write(l.frame)
		}
		if len(due) > 0 {
			continue
		}
		timer.Reset(wait)
		select {
		case <-w.quit:
			return
		case <-w.wake:
		case <-timer.C:
		}
	}
}

func (w *wires) close() {
	close(w.quit)
	w.clock.Wait()
}

// lateFrame is a frame that arrives later.
type lateFrame struct {
	due   time.Time
	order uint64 // among those that are due at once
	to    *port
	frame []byte
}

// lateFrames is a heap of them, the next one first.
type lateFrames []lateFrame

func (l lateFrames) Len() int { return len(l) }
func (l lateFrames) Less(i, j int) bool {
	if l[i].due.Equal(l[j].due) {
		return l[i].order < l[j].order
	}
	return l[i].due.Before(l[j].due)
}
func (l lateFrames) Swap(i, j int) { l[i], l[j] = l[j], l[i] }

// Push adds a frame.
func (l *lateFrames) Push(x any) { *l = append(*l, x.(lateFrame)) }

// Pop takes the last one out.
func (l *lateFrames) Pop() any {
	old := *l
	last := old[len(old)-1]
	old[len(old)-1] = lateFrame{}
	*l = old[:len(old)-1]
	return last
}
