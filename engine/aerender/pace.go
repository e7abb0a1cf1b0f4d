//go:build !paced

package aerender

import "context"

// The stages at which a build with the tag "paced" waits.
const (
	paceStart = "OVERCRANK_PACE_START"
	paceFrame = "OVERCRANK_PACE_FRAME"
)

// pace waits only in builds with the tag "paced", which measure how a farm shares work among machines.
func pace(context.Context, string) {}
