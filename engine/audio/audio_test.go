package audio

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/ffmpeg"
)

// tone makes seconds of a sine of the given pitch.
func tone(t testing.TB, pitch, length string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tone"+pitch+".wav")
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "sine=f="+pitch+":r=44100:d="+length, "-c:a", "pcm_s16le", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// mix mixes and gives the samples of the left channel.
func mix(t testing.TB, clips []Clip, start, length float64) []float64 {
	t.Helper()
	left, _ := mixSides(t, clips, start, length)
	return left
}

// mixSides mixes and gives the samples of both channels.
func mixSides(t testing.TB, clips []Clip, start, length float64) (left, right []float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mix.wav")
	if err := Mix(t.Context(), path, clips, start, length); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(raw[:200]), "data") + 8
	for ; at+3 < len(raw); at += 4 {
		left = append(left, float64(int16(binary.LittleEndian.Uint16(raw[at:])))/32768)
		right = append(right, float64(int16(binary.LittleEndian.Uint16(raw[at+2:])))/32768)
	}
	return left, right
}

// loud is the effective level between two times.
func loud(s []float64, from, to float64) float64 {
	sum, n := 0.0, 0
	for i := int(from * Rate); i < int(to*Rate) && i < len(s); i++ {
		sum += s[i] * s[i]
		n++
	}
	return math.Sqrt(sum / float64(max(1, n)))
}

// pitch counts how often the signal rises through zero in a second.
func pitch(s []float64, from, to float64) float64 {
	n := 0
	for i := int(from*Rate) + 1; i < int(to*Rate); i++ {
		if s[i-1] < 0 && s[i] >= 0 {
			n++
		}
	}
	return float64(n) / (to - from)
}

const sine = 0.0884 // effective level of ffmpeg's sine source

func TestClipsAreHeardWhereTheyStand(t *testing.T) {
	path := tone(t, "440", "3")
	for _, c := range []struct {
		name          string
		clip          Clip
		start, length float64
		from, to      float64 // where sound must be, in mix time
	}{
		{"from a time", Clip{At: 1, Length: 1, Speed: 1}, 0, 3, 1, 2},
		{"range begins within it", Clip{At: 1, Length: 2, Speed: 1}, 2, 2.5, 0, 1},
		{"range ends within it", Clip{At: 0.5, Length: 3, Speed: 1}, 0, 1.25, 0.5, 1.25},
		{"file ends before it", Clip{At: 0, Start: 2, Length: 9, Speed: 1}, 0, 2, 0, 1},
		{"starts before the file", Clip{At: 0, Start: -0.5, Length: 2, Speed: 1}, 0, 2, 0.5, 2},
		{"backwards", Clip{At: 0.5, Start: 1, Length: 5, Speed: -1}, 0, 2, 0.5, 1.5},
		{"after the range", Clip{At: 9, Length: 1, Speed: 1}, 0, 1, 0, 0},
		{"odd length", Clip{At: 0, Length: 9, Speed: 1}, 0, 1.0010416666, 0, 1.0010416666},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.clip.Path = path
			s := mix(t, []Clip{c.clip}, c.start, c.length)
			if want := int(math.Round(c.length * Rate)); len(s) != want {
				t.Errorf("%d samples, want %d", len(s), want)
			}
			if c.to > c.from {
				if l := loud(s, c.from+0.01, c.to-0.01); math.Abs(l-sine) > 0.01 {
					t.Errorf("level %.4f where it is heard, want %.4f", l, sine)
				}
			}
			if l := loud(s, 0, c.from-0.01) + loud(s, c.to+0.01, c.length); l > 0.001 {
				t.Errorf("level %.4f where there is silence", l)
			}
		})
	}
}

func TestSpeedChangesPitch(t *testing.T) {
	path := tone(t, "400", "3")
	for _, speed := range []float64{0.25, 0.5, 1, 2, -1.5} {
		s := mix(t, []Clip{{Path: path, Start: 1.6, Length: 1, Speed: speed}}, 0, 1)
		if p := pitch(s, 0.1, 0.6); math.Abs(p-400*math.Abs(speed)) > 8 {
			t.Errorf("at speed %g the pitch is %.0f, want %.0f", speed, p, 400*math.Abs(speed))
		}
	}
}

func TestLevelsAreFollowed(t *testing.T) {
	path := tone(t, "440", "4")
	s := mix(t, []Clip{{Path: path, Length: 4, Speed: 1, Levels: []Level{{1, -40}, {2, 0}, {3, 0}, {3, -12}}}}, 0, 4)
	for _, c := range []struct{ at, db float64 }{{0.5, -40}, {1.5, -20}, {2.5, 0}, {3.5, -12}} {
		got := 20 * math.Log10(loud(s, c.at-0.02, c.at+0.02)/sine)
		if math.Abs(got-c.db) > 1 {
			t.Errorf("at %g s the level is %.1f dB, want %.1f", c.at, got, c.db)
		}
	}
}

func TestTheSidesHaveLevelsOfTheirOwn(t *testing.T) {
	path := tone(t, "440", "4")
	clips := []Clip{
		{Path: path, Length: 2, Speed: 1, Levels: []Level{{0, -6}}, Right: []Level{{1, -40}, {2, -20}}},
		{Path: path, At: 2, Length: 2, Speed: 1, Right: []Level{{0, -96}}},
	}
	l, r := mixSides(t, clips, 0, 4)
	for _, c := range []struct{ at, left, right float64 }{{0.5, -6, -40}, {1.5, -6, -30}, {3, 0, math.Inf(-1)}} {
		for side, got := range map[string][2]float64{"left": {loud(l, c.at-0.02, c.at+0.02), c.left}, "right": {loud(r, c.at-0.02, c.at+0.02), c.right}} {
			if want := sine * math.Pow(10, got[1]/20); math.Abs(got[0]-want) > 0.12*want+0.001 {
				t.Errorf("at %g s the level of the %s side is %.4f, want %.4f", c.at, side, got[0], want)
			}
		}
	}
}

func TestManyLevelsFitOneCommand(t *testing.T) {
	path := tone(t, "440", "4")
	var levels []Level
	for i := range 20000 {
		levels = append(levels, Level{float64(i) / 5000, -6 + 6*math.Sin(float64(i))})
	}
	s := mix(t, []Clip{{Path: path, Length: 4, Speed: 1, Levels: levels}}, 0, 4)
	if l := loud(s, 0, 4); l < 0.02 {
		t.Errorf("level %.4f", l)
	}
}

func TestSoundsAddUp(t *testing.T) {
	a, b := tone(t, "440", "1"), tone(t, "700", "1")
	s := mix(t, []Clip{{Path: a, Length: 1, Speed: 1}, {Path: b, Length: 1, Speed: 1}}, 0, 1)
	if l := loud(s, 0.1, 0.9); math.Abs(l-sine*math.Sqrt2) > 0.01 {
		t.Errorf("level of two tones %.4f, want %.4f", l, sine*math.Sqrt2)
	}
	if l := loud(mix(t, nil, 0, 1), 0, 1); l != 0 {
		t.Errorf("level %.4f of nothing", l)
	}
}

func TestFileWithoutSoundIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken.mp3")
	if err := os.WriteFile(path, []byte("no sound at all"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Mix(t.Context(), filepath.Join(t.TempDir(), "m.wav"), []Clip{
		{Path: tone(t, "440", "1"), Length: 1, Speed: 1}, {Path: path, Length: 1, Speed: 1}}, 0, 1)
	if err == nil || !strings.Contains(err.Error(), "'broken.mp3'") {
		t.Errorf("got %v", err)
	}
}
