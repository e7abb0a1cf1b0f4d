package expression

import (
	"fmt"
	"slices"
	"testing"

	"overcrank/aep"
	"overcrank/engine/eval"
)

const (
	heavyLayers = 1000
	heavySlider = 20 // sliders of each layer, all with expressions
)

// heavyTexts are the expressions of the sliders of each layer: mostly links to a controller, as in the rigs and templates that have
// thousands of them.
func heavyTexts() []string {
	return []string{
		`thisComp.layer("ctrl").effect("Speed")("Slider")`,
		`thisComp.layer("ctrl").effect("Speed")("Slider") * 2 + 1`,
		`comp("main").layer("ctrl").effect(1)(1)`,
		`thisComp.layer("ctrl").effect("Speed").slider / 4 + index`,
		`s = thisComp.layer("ctrl").effect("Speed")("Slider"); if (s > 20) s - index % 10; else 0`,
		`effect("Slider 1")("Slider") + effect("Slider 2")("Slider")`,
		`Math.round(effect("Slider 3")("Slider") / 3)`,
		`linear(effect("Slider 4")("Slider"), 0, 100, 10, 20)`,
		`effect("Slider 5")("Slider") == 1 ? 100 : 0`,
		`sourceRectAtTime().width / 2`,
		`thisComp.layer("leader").transform.rotation`,
		`thisComp.layer("leader").transform.position.valueAtTime(time - index * 0.001)[0]`,
		`thisComp.layer("leader").transform.position.value[1] / 2`,
		`linear(time, inPoint, outPoint, 0, 100)`,
		`ease(time, inPoint, inPoint + 1, 0, 100) - ease(time, outPoint - 1, outPoint, 0, 100)`,
		`wiggle(2, 30)`,
		`Math.sin(time * 2 + index) * 50`,
		`f = timeToFrames(time) - index; f > 0 ? 100 : 0`,
		`if (time > 2) { value + 1 } else { value }`,
		`a = 3; b = 0.1; Math.sin(a * time) / Math.exp(b * time) * 100`,
	}
}

// heavy is a project of 25,000 expressions, and those of each layer.
func heavy(tb testing.TB) (*stage, []eval.Ref) {
	tb.Helper()
	s := newStage(tb)
	var refs []eval.Ref
	leader := s.project.Composition("main").Comp.Layers[1]
	leader.Name = "leader"
	for i := range heavyLayers {
		l := &aep.Layer{ID: uint32(100 + i), Name: fmt.Sprintf("layer %d", i), Kind: aep.LayerAV, Source: 1, Stretch: 100, Out: 10, Enabled: true,
			Blend: aep.BlendNormal, Props: &aep.Property{Group: true, Enabled: true, Children: []*aep.Property{heavySliders()}}}
		s.comp.Comp.Layers = append(s.comp.Comp.Layers, l)
		aep.CompleteLayer(s.project, s.comp.Comp, l)
		for match, text := range map[string]string{
			"ADBE Anchor Point": `[width, height] / 2`,
			"ADBE Position":     `thisComp.layer("leader").transform.position + [index * 10, Math.sin(time) * 20]`,
			"ADBE Scale":        `s = effect("Slider 1")("Slider"); [s, s]`,
			"ADBE Rotate Z":     `loopOut("cycle")`,
			"ADBE Opacity":      `clamp(value - Math.abs(time - 2) * 10, 0, 100)`,
		} {
			p := l.Props.Find("ADBE Transform Group", match)
			p.Expression, p.ExpressionOn = text, true
			if match == "ADBE Rotate Z" {
				p.Keys = []aep.Keyframe{key(0, aep.Numbers{10}), key(1, aep.Numbers{30})}
			}
		}
		each(&aep.Project{Items: []*aep.Item{{Comp: &aep.Composition{Layers: []*aep.Layer{l}}}}}, func(ref eval.Ref) {
			refs = append(refs, eval.Ref{Comp: s.comp, Layer: l, Prop: ref.Prop})
		})
	}
	// The controllers are among the others, as in real projects, so that a search has something to search.
	layers := s.comp.Comp.Layers
	s.comp.Comp.Layers = slices.Concat(layers[3:3+heavyLayers/2], layers[:3], layers[3+heavyLayers/2:])
	return s, refs
}

func heavySliders() *aep.Property {
	effects := &aep.Property{Match: "ADBE Effect Parade", Name: "Effects", Group: true, Enabled: true}
	texts := heavyTexts()
	for i := range heavySlider {
		effects.Children = append(effects.Children, &aep.Property{Match: "ADBE Slider Control", Name: fmt.Sprintf("Slider %d", i+1), Group: true, Enabled: true,
			Children: []*aep.Property{{Match: "ADBE Slider Control-0001", Name: "Slider", Enabled: true, Dimensions: 1, Value: aep.Numbers{25},
				Expression: texts[i%len(texts)], ExpressionOn: true}}})
	}
	return effects
}

// BenchmarkHeavyProject is the time of all expressions of one frame of a project of 25,000.
func BenchmarkHeavyProject(b *testing.B) {
	s, refs := heavy(b)
	if len(refs) != 25000 {
		b.Fatalf("%d expressions", len(refs))
	}
	t := 0.0
	for b.Loop() {
		s.eval.BeginFrame()
		for _, ref := range refs {
			s.eval.Value(ref, t)
		}
		if t += 0.04; t > 9 {
			t = 0
		}
	}
	if len(s.faults) > 0 {
		b.Fatal(s.faults[0])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}
