package aerender

import (
	"context"
	"fmt"
	"time"

	"overcrank/farm"
	"overcrank/farm/wording"
)

// stage is how far a run has come, as the watchdog sees it.
type stage int

const (
	stageLaunch stage = iota // nothing was heard yet
	stageOpen                // the project is being opened
	stageRender              // frames come
	stageExit                // the composition is done
)

// lastWords is how much longer an engine that counts as hung is listened to.
const lastWords = 100 * time.Millisecond

// watch takes lines in until the program has ended, the context has, or the program hangs; then it says how it hung.
func (e *execution) watch(ctx context.Context) *Failure {
	now := stageLaunch
	timer := time.NewTimer(e.limits.Launch)
	defer timer.Stop()
	var wall <-chan time.Time
	if e.req.Wall > 0 {
		whole := time.NewTimer(e.req.Wall)
		defer whole.Stop()
		wall = whole.C
	}
	last, slowest := time.Now(), time.Duration(0)
	lower := e.req.Lower
	silent := false // the timer has run out once
	for {
		select {
		case <-lower:
			lower = nil
			e.process.Lower()
		case <-e.process.Exited():
			return nil
		case <-ctx.Done():
			return nil
		case line := <-e.lines:
			done := e.counter.now.Done
			e.take(line)
			if e.counter.now.Done > done {
				slowest = max(slowest, time.Since(last))
				last = time.Now()
			}
			if next := e.stageAfter(now); next != now || next >= stageRender {
				now, silent = next, false
				timer.Reset(e.patience(now, slowest))
			}
		case <-timer.C:
			if !silent { // it may be this process that was kept from running: what the engine has said meanwhile is still to be heard
				silent = true
				timer.Reset(lastWords)
				continue
			}
			return &Failure{Message: fmt.Sprintf("Render failed: %s hung %s", e.req.engine(), e.where(now)), Class: farm.FailureTransient, Cause: causeOf(farm.CauseEngine, e.req.engine()+" hung")}
		case <-wall:
			return &Failure{Message: fmt.Sprintf("Render failed: %s was not done after %s", e.req.engine(), wording.Duration(e.req.Wall)), Class: farm.FailureDeterministic, Cause: farm.Cause{Kind: farm.CauseTime}}
		}
	}
}

// stageAfter is the stage once a line was taken in.
func (e *execution) stageAfter(now stage) stage {
	switch {
	case e.finished || e.counter.now.Percent >= 100:
		return stageExit
	case e.counter.now.Done > 0 || e.began:
		return stageRender
	case now == stageLaunch && (e.launched || e.heard > 1):
		return stageOpen
	}
	return now
}

// patience is how long a stage may be silent.
func (e *execution) patience(s stage, slowest time.Duration) time.Duration {
	switch s {
	case stageLaunch:
		return e.limits.Launch
	case stageOpen:
		return e.limits.Open
	case stageExit:
		return e.limits.Exit
	}
	if e.counter.now.Done == 0 { // which reads footage, fills caches and may be the slowest of all
		return max(e.limits.First, e.limits.Stall)
	}
	return max(e.limits.Stall, 10*slowest)
}

func (e *execution) where(s stage) string {
	switch s {
	case stageLaunch:
		return "while it was starting"
	case stageOpen:
		return "while it opened the project"
	case stageExit:
		return "after the last frame"
	default:
		if e.counter.now.Done == 0 {
			return "before the first frame"
		}
		return fmt.Sprintf("after %d of %d frames", e.counter.now.Done, e.counter.expected())
	}
}
