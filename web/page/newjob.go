package page

import (
	"math"
	"strconv"
)

// lastFrame is the number of the composition's last frame, from 0.
func (n NewJob) lastFrame() int {
	return max(1, int(math.Round(n.Composition.Duration*n.Composition.FrameRate))) - 1
}

// Frames is how many frames the composition has.
func (n NewJob) Frames() int { return n.lastFrame() + 1 }

// frameToShow is the frame that the preview begins with: the middle of what is rendered, where most compositions have come in and not gone yet.
func (n NewJob) frameToShow() int {
	frames := n.Composition.RenderFrames
	if frames == 0 {
		frames = n.lastFrame() + 1
	}
	return min(n.Composition.RenderStart+frames/2, n.lastFrame())
}

// frameRate is a number of frames in a second for a script.
func frameRate(perSecond float64) string { return strconv.FormatFloat(perSecond, 'f', -1, 64) }
