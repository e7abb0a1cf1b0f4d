// Package audio mixes a composition's sound with ffmpeg.
package audio

// Clip is one piece of sound in composition time. Times are seconds.
type Clip struct {
	Path   string
	At     float64 // where in the composition it starts to be heard
	Start  float64 // where in the file
	Length float64
	Speed  float64 // 1 is normal
	Levels []Level // volume over time; empty means unchanged
}

// Level is a volume in decibels at a composition time.
type Level struct{ Time, DB float64 }
