//go:build paced

package aerender

import (
	"context"
	"os"
	"regexp"
	"time"

	"overcrank/aep"
)

// The environment variables for how long this build waits at the start of a render and for each frame, such as 500ms.
const (
	paceStart = "OVERCRANK_PACE_START"
	paceFrame = "OVERCRANK_PACE_FRAME"
)

// paced is what an expression says to have this build wait for each frame of its composition, beyond what the environment says.
var paced = regexp.MustCompile(`// pace (\S+)`)

// pace simulates an engine that takes a while and no processor time, so that one machine can play several.
type pace struct{ atStart, each time.Duration }

func paceOf(item *aep.Item) pace {
	p := pace{duration(os.Getenv(paceStart)), duration(os.Getenv(paceFrame))}
	for _, layer := range item.Comp.Layers {
		p.each += asked(layer.Props)
	}
	return p
}

// asked is how long the expressions of a property and of those below it ask to wait for each frame.
func asked(p *aep.Property) (wait time.Duration) {
	if said := paced.FindStringSubmatch(p.Expression); said != nil {
		wait = duration(said[1])
	}
	for _, child := range p.Children {
		wait += asked(child)
	}
	return wait
}

func duration(said string) time.Duration {
	d, err := time.ParseDuration(said)
	if err != nil {
		return 0
	}
	return d
}

func (p pace) start(ctx context.Context) { wait(ctx, p.atStart) }

func (p pace) frame(ctx context.Context) { wait(ctx, p.each) }

func wait(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
