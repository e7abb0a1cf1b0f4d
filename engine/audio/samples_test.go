package audio

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"overcrank/ffmpeg"
)

// longSine is a sound file of seconds of a sine of 100 Hz at half of the full level, on both sides.
func longSine(t *testing.T, seconds string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sine.wav")
	_, err := ffmpeg.Run(context.Background(), "ffmpeg", "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2*PI*100*t)|0.5*sin(2*PI*100*t):s=48000:d="+seconds, "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSamplesAreReadAtAnyMoment(t *testing.T) {
	path := longSine(t, "12")
	var s Samples
	for _, start := range []float64{0, 9.99, 3.25, 10.5, 9.99} {
		got, err := s.Read(context.Background(), path, start, 0.02)
		if err != nil || len(got) != 960 {
			t.Fatalf("at %v: %d samples, %v", start, len(got), err)
		}
		for i, v := range got {
			want := 0.5 * math.Sin(2*math.Pi*100*(start+float64(i)/Rate))
			if math.Abs(float64(v)-want) > 0.002 {
				t.Fatalf("at %v, sample %d: %v, want %v", start, i, v, want)
			}
		}
	}
}

func TestFilesAreSilentBeyondTheirEnds(t *testing.T) {
	path := longSine(t, "1")
	var s Samples
	for start, heard := range map[float64]bool{-1: false, -0.01: true, 0.99: true, 1.5: false, 100: false} {
		got, err := s.Read(context.Background(), path, start, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		loud := false
		for _, v := range got {
			loud = loud || v != 0
		}
		if loud != heard {
			t.Errorf("at %v something is heard: %v", start, loud)
		}
	}
	if _, err := s.Read(context.Background(), filepath.Join(t.TempDir(), "absent.wav"), 0, 1); err == nil {
		t.Error("a file that does not exist can be read")
	}
	if got, err := s.Read(context.Background(), path, math.NaN(), 1); got != nil || err != nil {
		t.Errorf("at no time: %v, %v", got, err)
	}
}
