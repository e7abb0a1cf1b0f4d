package audio

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"overcrank/engine/wav"
	"overcrank/ffmpeg"
)

// noise makes two seconds of noise in an uncompressed file.
func noise(t testing.TB, codec string, rate, channels int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("noise-%s-%d-%d.wav", codec, rate, channels))
	source := fmt.Sprintf("aevalsrc='random(0)*1.6-0.8|random(1)*1.6-0.8':s=%d:d=2", rate)
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", source, "-ac", fmt.Sprint(channels), "-c:a", codec, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// framesOf are those of a mix.
func framesOf(t testing.TB, path string) []wav.Frame {
	t.Helper()
	f, err := wav.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Rate != Rate || f.Channels != 2 {
		t.Fatalf("a mix has %d channels of %d samples", f.Channels, f.Rate)
	}
	all := make([]wav.Frame, f.Frames)
	if err := f.Read(0, all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMixesWithoutFFmpegAreThoseOfFFmpeg mixes the same clips in both ways. Volumes are rounded to six digits on ffmpeg's command line, so that there a
// sample may be rounded to its neighbour.
func TestMixesWithoutFFmpegAreThoseOfFFmpeg(t *testing.T) {
	stereo, mono := noise(t, "pcm_s16le", Rate, 2), noise(t, "pcm_s16le", Rate, 1)
	fine, float := noise(t, "pcm_s24le", Rate, 2), noise(t, "pcm_f32le", Rate, 1)
	fade := []Level{{0.2, -30}, {0.9, 0}, {1.1, 0}, {1.1, -12}, {1.6, -90}}
	for name, c := range map[string]struct {
		clips []Clip
		exact bool
	}{
		"whole":               {[]Clip{{Path: stereo, Length: 2, Speed: 1}}, true},
		"one channel":         {[]Clip{{Path: mono, Length: 2, Speed: 1}}, true},
		"24 bits":             {[]Clip{{Path: fine, Length: 2, Speed: 1}}, true},
		"floating":            {[]Clip{{Path: float, Length: 2, Speed: 1}}, true},
		"a part of a part":    {[]Clip{{Path: stereo, At: 0.4804, Start: 0.3203, Length: 0.9997, Speed: 1}}, true},
		"beyond the file":     {[]Clip{{Path: stereo, At: 0.25, Start: 1.12, Length: 5, Speed: 1}}, true},
		"before the mix":      {[]Clip{{Path: stereo, At: -0.72, Length: 2, Speed: 1}}, true},
		"several, too loud":   {[]Clip{{Path: stereo, Length: 2, Speed: 1}, {Path: mono, At: 0.5, Length: 1, Speed: 1}, {Path: stereo, At: 0.04, Length: 2, Speed: 1}}, true},
		"louder":              {[]Clip{{Path: stereo, Length: 2, Speed: 1, Levels: []Level{{0, 3.5}}}}, false},
		"fading":              {[]Clip{{Path: stereo, At: 0.1, Length: 2, Speed: 1, Levels: fade}}, false},
		"fading on one side":  {[]Clip{{Path: stereo, At: 0.1, Length: 2, Speed: 1, Levels: []Level{{0, -1}}, Right: fade}}, false},
		"fading at two times": {[]Clip{{Path: mono, Length: 2, Speed: 1, Levels: fade}, {Path: fine, At: 0.3, Length: 1, Speed: 1, Levels: fade}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			const length = 1.9
			heard := within(c.clips, 0, length)
			dir := t.TempDir()
			here, there := filepath.Join(dir, "here.wav"), filepath.Join(dir, "there.wav")
			tracks, known, err := direct(heard)
			if err != nil || !known {
				t.Fatalf("known %v, %v", known, err)
			}
			if err := mixTracks(t.Context(), here, tracks, samples(length)); err != nil {
				t.Fatal(err)
			}
			if err := closeAll(tracks); err != nil {
				t.Fatal(err)
			}
			if err := mixInFFmpeg(t.Context(), there, heard, length); err != nil {
				t.Fatal(err)
			}
			got, want := framesOf(t, here), framesOf(t, there)
			if len(got) != len(want) || len(got) != int(length*Rate) {
				t.Fatalf("%d samples, want %d", len(got), len(want))
			}
			off := 0.0
			if !c.exact {
				off = 1.0 / (1 << 15)
			}
			for i := range got {
				for side := range got[i] {
					if d := got[i][side] - want[i][side]; d > off || d < -off {
						t.Fatalf("sample %d is %v, want %v", i, got[i], want[i])
					}
				}
			}
		})
	}
}

func TestAnUncompressedSoundIsMixedWithoutFFmpeg(t *testing.T) {
	stereo, other := noise(t, "pcm_s16le", Rate, 2), noise(t, "pcm_s16le", 44100, 2)
	empty := t.TempDir()
	t.Setenv(ffmpeg.FolderVariable, empty) // where no ffmpeg is
	t.Setenv("PATH", empty)
	path := filepath.Join(empty, "mix.wav")
	for name, clips := range map[string][]Clip{
		"nothing": nil, "a clip": {{Path: stereo, Length: 1, Speed: 1}},
		"a sound that an effect makes": {{At: 0, Length: 1, Speed: 1, Moments: []Moment{{0, 0}, {1, 1}}, Effects: []Effect{{Match: effectTone, Values: [][]float64{{0, 440, 0, 0, 0, 0, 50}}}}}},
	} {
		if err := Mix(t.Context(), path, clips, 0, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(framesOf(t, path)); n != Rate {
			t.Errorf("%s: %d samples", name, n)
		}
	}
	for name, c := range map[string]Clip{
		"of another rate": {Path: other, Length: 1, Speed: 1}, "faster": {Path: stereo, Length: 1, Speed: 2}, "missing": {Path: stereo + "x", Length: 1, Speed: 1},
	} {
		if err := Mix(t.Context(), path, []Clip{c}, 0, 1); err == nil {
			t.Errorf("%s: ffmpeg was not asked", name)
		}
	}
	cut, err := os.ReadFile(stereo)
	if err != nil {
		t.Fatal(err)
	}
	tracks, known, err := direct([]Clip{{Path: stereo, Length: 2, Speed: 1}})
	if err != nil || !known {
		t.Fatal(err)
	}
	if err := os.Truncate(stereo, int64(len(cut)/2)); err != nil {
		t.Fatal(err)
	}
	if err := mixTracks(t.Context(), path, tracks, Rate*2); err == nil {
		t.Error("a file that became shorter was mixed")
	}
	if err := closeAll(tracks); err != nil {
		t.Fatal(err)
	}
}
