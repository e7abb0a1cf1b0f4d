package audio

import (
	"math"
	"math/cmplx"
	"testing"
)

// strength is how much of a pitch there is in a sound, 1 for a sine of full level.
func strength(s []float64, pitch, from, to float64) float64 {
	var sum complex128
	n := 0
	for i := int(from * Rate); i < int(to*Rate) && i < len(s); i++ {
		sum += complex(s[i], 0) * cmplx.Exp(complex(0, -2*math.Pi*pitch*float64(i)/Rate))
		n++
	}
	return 2 * cmplx.Abs(sum) / float64(max(1, n))
}

// heardWhole is a clip of a file that is heard as it is, from 0 s to 2 s, through effects.
func heardWhole(path string, effects ...Effect) Clip {
	return Clip{Path: path, Length: 2, Moments: []Moment{{0, 0}, {2, 2}}, Effects: effects}
}

func TestMappedTimeChangesPitchAndPlace(t *testing.T) {
	low, high := tone(t, "400", "2"), tone(t, "1000", "2")
	full := strength(mix(t, []Clip{{Path: low, Length: 2, Speed: 1}}, 0, 2), 400, 0.5, 1.5)
	for name, c := range map[string]struct {
		clip  Clip
		pitch float64
		at    [2]float64 // where it is heard
		quiet [2]float64 // where nothing is
	}{
		"as it is":          {heardWhole(low), 400, [2]float64{0.1, 1.9}, [2]float64{2.1, 2.9}},
		"twice as fast":     {Clip{Path: low, Length: 2, Moments: []Moment{{1, 0}, {2, 2}}}, 800, [2]float64{1.1, 1.9}, [2]float64{0.1, 0.9}},
		"half as fast":      {Clip{Path: low, Length: 2, Moments: []Moment{{0, 0}, {2, 1}}}, 200, [2]float64{0.1, 1.9}, [2]float64{2.1, 2.9}},
		"backwards":         {Clip{Path: low, Length: 2, Moments: []Moment{{0, 2}, {1, 1}}}, 400, [2]float64{0.1, 0.9}, [2]float64{1.1, 2.9}},
		"held":              {Clip{Path: low, Length: 2, Moments: []Moment{{0, 0}, {1, 1}, {3, 1}}}, 400, [2]float64{0.1, 0.9}, [2]float64{1.1, 2.9}},
		"beyond the end":    {Clip{Path: low, Length: 2, Moments: []Moment{{0, 1}, {3, 4}}}, 400, [2]float64{0.1, 0.9}, [2]float64{1.1, 2.9}},
		"within another":    {Clip{Of: &Clip{Path: high, At: 0.5, Length: 1, Speed: 1}, Moments: []Moment{{0, 0}, {3, 1.5}}}, 500, [2]float64{1.1, 2.9}, [2]float64{0.1, 0.9}},
		"a sound in levels": {Clip{Of: &Clip{Path: high, Length: 2, Speed: 1, Levels: []Level{{0, 0}, {1, 0}, {1, -96}}}, Moments: []Moment{{0, 0}, {3, 3}}}, 1000, [2]float64{0.1, 0.9}, [2]float64{1.1, 1.9}},
	} {
		t.Run(name, func(t *testing.T) {
			s := mix(t, []Clip{c.clip}, 0, 3)
			if got := strength(s, c.pitch, c.at[0], c.at[1]) / full; math.Abs(got-1) > 0.03 {
				t.Errorf("%g Hz is heard at %.3f of its level", c.pitch, got)
			}
			if l := loud(s, c.quiet[0], c.quiet[1]); l > 0.001 {
				t.Errorf("level %.4f where there is silence", l)
			}
		})
	}
}

// A part of a film sounds as the whole does there, also with echoes of what came before.
func TestAPartOfAMixIsThatOfTheWhole(t *testing.T) {
	path := tone(t, "400", "2")
	clip := heardWhole(path, Effect{Match: "ADBE Aud Delay", Values: [][]float64{{300, 60, 50, 75, 75}}}, Effect{Match: "ADBE Aud Reverb", Values: [][]float64{{50, 50, 50, 50, 75, 75}}})
	whole, part := mix(t, []Clip{clip}, 0, 2), mix(t, []Clip{clip}, 1, 0.5)
	for i, v := range part {
		if math.Abs(v-whole[Rate+i]) > 2.0/32768 {
			t.Fatalf("sample %d is %.5f, in the whole %.5f", i, v, whole[Rate+i])
		}
	}
}

// decibels is how much louder a pitch is through effects, on the left and the right side.
func decibels(t *testing.T, pitch string, hz float64, effects ...Effect) (left, right float64) {
	t.Helper()
	path := tone(t, pitch, "2")
	was := strength(mix(t, []Clip{{Path: path, Length: 2, Speed: 1}}, 0, 2), hz, 0.5, 1.5)
	l, r := mixSides(t, []Clip{heardWhole(path, effects...)}, 0, 2)
	return 20 * math.Log10(max(strength(l, hz, 0.5, 1.5), 1e-5)/was), 20 * math.Log10(max(strength(r, hz, 0.5, 1.5), 1e-5)/was)
}

func TestEffectsChangePitchesAsTheyShould(t *testing.T) {
	set := func(match string, v ...float64) Effect { return Effect{Match: match, Values: [][]float64{v}} }
	const nothing = -50
	for name, c := range map[string]struct {
		pitch       string
		hz          float64
		effect      Effect
		left, right float64
	}{
		"low pass, far below":     {"100", 100, set("ADBE Aud HiLo", 2, 1000, 0, 100), 0, 0},
		"low pass, at the edge":   {"1000", 1000, set("ADBE Aud HiLo", 2, 1000, 0, 100), -3, -3},
		"low pass, two octaves":   {"4000", 4000, set("ADBE Aud HiLo", 2, 1000, 0, 100), -25, -25},
		"high pass, below":        {"250", 250, set("ADBE Aud HiLo", 1, 1000, 0, 100), -24, -24},
		"high pass, above":        {"8000", 8000, set("ADBE Aud HiLo", 1, 1000, 0, 100), 0, 0},
		"bass, below":             {"60", 60, set("ADBE Aud BT", 100, 0), shelfLift, shelfLift},
		"bass, above":             {"8000", 8000, set("ADBE Aud BT", 100, 0), 0, 0},
		"treble, above":           {"12000", 12000, set("ADBE Aud BT", 0, -100), -shelfLift, -shelfLift},
		"a band, at its pitch":    {"1000", 1000, set("ADBE Param EQ", 1, 1000, 2, 12), 12, 12},
		"a band, far away":        {"100", 100, set("ADBE Param EQ", 1, 1000, 2, 12), 0, 0},
		"a band that is off":      {"1000", 1000, set("ADBE Param EQ", 0, 1000, 2, 12), 0, 0},
		"one side softer":         {"400", 400, set("ADBE Aud Stereo Mixer", 50, 100, -100, 100, 0), -6, 0},
		"all on the right":        {"400", 400, set("ADBE Aud Stereo Mixer", 100, 0, 100, 100, 0), nothing, 0},
		"a delay of half a wave":  {"400", 400, set("ADBE Aud Delay", 1.25, 100, 0, 50, 50), nothing, nothing},
		"a delay of a wave":       {"400", 400, set("ADBE Aud Delay", 2.5, 100, 0, 50, 50), 0, 0},
		"only a pitch of its own": {"400", 400, set("ADBE Aud Tone", 1, 1000, 0, 0, 0, 0, 100), nothing, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			left, right := decibels(t, c.pitch, c.hz, c.effect)
			for side, got := range [2]float64{left, right} {
				want := [2]float64{c.left, c.right}[side]
				if want == nothing && got < -40 || want != nothing && math.Abs(got-want) < 1 {
					continue
				}
				t.Errorf("side %d is changed by %.1f dB, want %.1f", side, got, want)
			}
		})
	}
}

func TestTonesAreMadeOfNothing(t *testing.T) {
	e := Effect{Match: "ADBE Aud Tone", Values: [][]float64{{1, 500, 1200, 0, 0, 0, 100}}}
	s := mix(t, []Clip{{Moments: []Moment{{0.5, 0}, {1.5, 1}}, Effects: []Effect{e}}}, 0, 2)
	for _, hz := range []float64{500, 1200} {
		if got := strength(s, hz, 0.6, 1.4); math.Abs(got-0.2) > 0.005 {
			t.Errorf("%g Hz has a level of %.3f, want a fifth", hz, got)
		}
	}
	if l := loud(s, 0, 0.49) + loud(s, 1.51, 2); l > 0.001 {
		t.Errorf("level %.4f outside of the layer", l)
	}
}

func TestEchoesFollowTheSound(t *testing.T) {
	path := tone(t, "400", "0.3")
	clip := Clip{Path: path, Length: 0.3, Moments: []Moment{{0, 0}, {2, 2}}}
	silent := mix(t, []Clip{clip}, 0, 2)
	if l := loud(silent, 0.4, 2); l > 0.001 {
		t.Fatalf("without an effect there is a level of %.4f after the sound", l)
	}
	clip.Effects = []Effect{{Match: "ADBE Aud Delay", Values: [][]float64{{1000, 50, 0, 100, 100}}}}
	s := mix(t, []Clip{clip}, 0, 2)
	if got := strength(s, 400, 1.05, 1.25) / strength(s, 400, 0.05, 0.25); math.Abs(got-0.5) > 0.02 {
		t.Errorf("the echo after a second is %.2f as loud", got)
	}
	for _, match := range []string{"ADBE Aud Reverb", "ADBE Aud Delay"} {
		kind, _ := KindOf(match)
		clip.Effects = []Effect{{Match: match, Values: [][]float64{kind.Start}}}
		if l := loud(mix(t, []Clip{clip}, 0, 2), 0.35, 1.2); l < 0.001 {
			t.Errorf("%s: nothing follows the sound", match)
		}
	}
}

func TestSwingsSpreadAPitch(t *testing.T) {
	path := tone(t, "1000", "2")
	for match, v := range map[string][]float64{
		"ADBE Aud Modulator": {1, 5, 100, 0},
		"ADBE Aud_Flange":    {5, 2, 5, 100, 90, 0, 0, 0, 100},
	} {
		s := mix(t, []Clip{heardWhole(path, Effect{Match: match, Values: [][]float64{v}})}, 0, 2)
		if straight, all := strength(s, 1000, 0.5, 1.5), loud(s, 0.5, 1.5)*math.Sqrt2; straight > 0.8*all || all < 0.02 {
			t.Errorf("%s: of a level of %.3f there is %.3f at the pitch", match, all, straight)
		}
	}
}

// Values that change are followed.
func TestValuesOfEffectsAreFollowed(t *testing.T) {
	path := tone(t, "400", "2")
	e := Effect{Match: "ADBE Aud Stereo Mixer", Step: 1, Values: [][]float64{{100, 100, -100, 100, 0}, {10, 10, -100, 100, 0}}}
	s := mix(t, []Clip{heardWhole(path, e)}, 0, 2)
	if got := loud(s, 1.1, 1.9) / loud(s, 0.1, 0.9); math.Abs(got-0.1) > 0.01 {
		t.Errorf("after a second it is %.2f as loud, want a tenth", got)
	}
}

// Values come from projects of strangers: none may be too much for an effect.
func FuzzEffectsStayFinite(f *testing.F) {
	f.Add(1.0, -3.0, 1e300, math.Inf(1), math.NaN())
	f.Add(1000.0, 50.0, 100.0, 100.0, 1000.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e float64) {
		for match, kind := range kinds() {
			filter := kind.make()
			var block [blockLength]frame
			for range 3 {
				for i := range block {
					block[i] = frame{math.Sin(float64(i) / 7), math.Cos(float64(i) / 9)}
				}
				filter.tune([]float64{a, b, c, d, e, a, b, c, d, e, a, b})
				filter.run(block[:])
				for _, m := range block {
					if v := audibleOnly(m[0]) + audibleOnly(m[1]); math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%s gives %v", match, m)
					}
				}
			}
		}
	})
}
