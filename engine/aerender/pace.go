//go:build !paced

package aerender

import (
	"context"

	"overcrank/aep"
)

// pace waits only in builds with the tag "paced", whose films take a while and no processor time: tests and benchmarks of farms have them.
type pace struct{}

func paceOf(*aep.Item) pace { return pace{} }

func (pace) start(context.Context) {}

func (pace) frame(context.Context) {}
