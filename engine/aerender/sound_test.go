package aerender

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/ffmpeg"
)

// remapped is a time remapping by keyframes at composition times, with times of the source.
func remapped(times ...[2]float64) *aep.Property {
	p := still("ADBE Time Remapping", times[0][1])
	for _, t := range times {
		p.Keys = append(p.Keys, aep.Keyframe{Time: t[0], Value: aep.Numbers{t[1]}, In: aep.Linear, Out: aep.Linear,
			InEase: []aep.Ease{{Influence: 100.0 / 6}}, OutEase: []aep.Ease{{Influence: 100.0 / 6}}})
	}
	return p
}

// heard renders a film of a project and gives the samples of the left side of its sound, 48,000 a second.
func heard(t *testing.T, p *aep.Project) []float64 {
	t.Helper()
	project := lay(t, p)
	film, raw := filepath.Join(t.TempDir(), "film.mov"), filepath.Join(t.TempDir(), "sound.raw")
	if code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", film, "-OMtemplate", "video_prores_4444"); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	if _, err := ffmpeg.Run(t.Context(), "ffmpeg", "-i", film, "-ac", "1", "-ar", "48000", "-f", "f32le", raw); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, len(b)/4)
	for i := range out {
		out[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return out
}

// pitchOf counts how often a sound rises through zero in a second, and gives its effective level.
func pitchOf(s []float64, from, to float64) (hz, level float64) {
	part := s[int(from*48000):min(len(s), int(to*48000))]
	n, sum := 0, 0.0
	for i, v := range part {
		sum += v * v
		if i > 0 && part[i-1] < 0 && v >= 0 {
			n++
		}
	}
	return float64(n) * 48000 / float64(len(part)), math.Sqrt(sum / float64(len(part)))
}

// The sound of the sample is a sine of 440 Hz.
func TestTheSoundOfAFilmFollowsTheTimeOfItsLayers(t *testing.T) {
	keys := func() *aep.Property {
		return remapped([2]float64{0, 0}, [2]float64{0.8, 1.6}, [2]float64{1.2, 1.6}, [2]float64{2, 1.2})
	}
	for name, change := range map[string]func(p *aep.Project, sound *aep.Layer){
		"a file": func(_ *aep.Project, sound *aep.Layer) { sound.Props.Children = append(sound.Props.Children, keys()) },
		"a composition": func(p *aep.Project, sound *aep.Layer) {
			inner := layer(50, "inside", idSound)
			comp := *p.Items[0].Comp
			comp.Layers = []*aep.Layer{inner}
			p.Items = append(p.Items, &aep.Item{ID: 60, Name: "inner", Kind: aep.ItemComposition, Comp: &comp})
			sound.Source = 60
			sound.Props.Children = append(sound.Props.Children, keys())
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := sample()
			comp := p.Items[0].Comp
			sound := comp.Layers[4]
			comp.Layers = []*aep.Layer{sound}
			change(p, sound)
			s := heard(t, p)
			if hz, level := pitchOf(s, 0.1, 0.7); math.Abs(hz-880) > 10 || level < 0.05 {
				t.Errorf("at twice the speed there are %.0f Hz at a level of %.3f", hz, level)
			}
			if _, level := pitchOf(s, 0.85, 1.15); level > 0.003 {
				t.Errorf("where time stands there is a level of %.3f", level)
			}
			if hz, level := pitchOf(s, 1.3, 1.9); math.Abs(hz-220) > 5 || level < 0.05 {
				t.Errorf("at half the speed, backwards, there are %.0f Hz at a level of %.3f", hz, level)
			}
		})
	}
}
