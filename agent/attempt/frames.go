package attempt

import (
	"fmt"
	"os"

	"overcrank/agent/film"
	"overcrank/frames"
)

// The names of what an engine writes of a film that is encoded later.
const (
	partName  = "part" + frames.Ext
	soundName = "sound.wav"
)

// framesResult describes a file of frames.
func framesResult(path string, grown frames.Growth) result {
	head := grown.Head()
	info := film.Info{Video: true, Width: head.Width, Height: head.Height, Frames: grown.Last - grown.First + 1}
	info.FrameRate = float64(head.RateNum) / float64(head.RateDen)
	info.Duration = float64(info.Frames) / info.FrameRate
	return result{path: path, info: info, kind: frames.ContentType}
}

// growth looks at a file of frames as it is now.
func growth(path string) (grown frames.Growth, size int64, err error) {
	in, err := os.Open(path)
	if err != nil {
		return grown, 0, fmt.Errorf("looking at the frames: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return grown, 0, fmt.Errorf("looking at the frames: %w", err)
	}
	return grown, info.Size(), grown.Look(in, info.Size())
}

// growthWithin looks at the frames that are whole within the first bytes of a file.
func growthWithin(path string, size int64) (grown frames.Growth, err error) {
	in, err := os.Open(path)
	if err != nil {
		return grown, fmt.Errorf("looking at the frames: %w", err)
	}
	defer in.Close()
	return grown, grown.Look(in, size)
}
