package aerender

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"overcrank/engine/footage"
	"overcrank/memory"
)

const (
	// memoryShare is the largest share of the machine's memory that is used, in percent, when -mem_usage does not say.
	memoryShare = 80
	// memorySlack is the excess over the limit, in bytes, that ends the program at once.
	memorySlack = 512 << 20
	// memoryGrace is how long the program may exceed the limit after it was told to end.
	memoryGrace = 5 * time.Second
	memoryLook  = 50 * time.Millisecond // between checks: a script fills some hundred MiB in that time
)

// errMemory ends a run that used too much memory. Tools look for these words.
var errMemory = errors.New("out of memory")

// memoryGuard keeps the program within its share of the machine's memory, so that no project or script can bring a
// workstation down. The programs that it starts have limits of their own. It also paces the garbage collector.
type memoryGuard struct {
	limit  int64 // bytes
	slack  int64 // memorySlack
	grace  time.Duration
	cancel context.CancelCauseFunc
	giveUp func(error) // ends the program
	quit   chan struct{}
	done   sync.WaitGroup
	before int64 // limit of the garbage collector before the guard
}

// guardMemory limits the memory to limit bytes, 0 for no limit. Near the limit the garbage collector works harder;
// beyond it the returned context ends with errMemory. If the program goes on, in code that ignores the context, giveUp
// ends it. stop ends the guard.
func guardMemory(ctx context.Context, limit int64, giveUp func(error)) (guarded context.Context, stop func()) {
	if limit <= 0 {
		return ctx, func() {}
	}
	guarded, cancel := context.WithCancelCause(ctx)
	g := &memoryGuard{limit: limit, slack: memorySlack, grace: memoryGrace, cancel: cancel, giveUp: giveUp, quit: make(chan struct{})}
	g.before = debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(limit, g.before))
	g.done.Go(g.watch)
	return guarded, g.stop
}

func (g *memoryGuard) stop() {
	close(g.quit)
	g.done.Wait()
	g.cancel(nil)
	debug.SetMemoryLimit(g.before)
}

func (g *memoryGuard) watch() {
	tick := time.NewTicker(memoryLook)
	defer tick.Stop()
	var since time.Time // when the limit was passed
	var garbage collector
	for {
		select {
		case <-tick.C:
		case <-g.quit:
			return
		}
		garbage.pace()
		used := usedMemory()
		if used <= g.limit {
			continue
		}
		err := fmt.Errorf("%w: the engine needs more than the %d MiB that it may use on this machine", errMemory, g.limit>>20)
		if since.IsZero() {
			since = time.Now()
			g.cancel(err)
		}
		if used > g.limit+g.slack || time.Since(since) > g.grace {
			g.giveUp(err)
			return
		}
	}
}

// usedMemory is the memory that this program holds, in bytes.
func usedMemory() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64()) - int64(sample[1].Value.Uint64())
}

// memoryLimit is a share of the machine's memory in bytes, 0 when that is unknown. percent 0 means memoryShare.
func memoryLimit(percent float64) int64 {
	if percent <= 0 {
		percent = memoryShare
	}
	return int64(float64(memory.Total()) * min(percent, 100) / 100)
}

// pictureBudget is how many bytes of pictures are kept, of files and drawn ones: a quarter of the memory limit, up to a bound beyond
// which more does not help.
func pictureBudget(percent float64) int64 {
	if limit := memoryLimit(percent); limit > 0 {
		return min(limit/4, footage.DefaultBudget)
	}
	return footage.DefaultBudget
}
