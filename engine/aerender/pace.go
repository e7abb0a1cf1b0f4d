//go:build !paced

package aerender

import "context"

// What a build with the tag "paced" waits for.
const (
	paceStart = "OVERCRANK_PACE_START"
	paceFrame = "OVERCRANK_PACE_FRAME"
)

// pace waits in builds with the tag "paced" alone, which measure how a farm shares work among machines.
func pace(context.Context, string) {}
