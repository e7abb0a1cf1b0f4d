package expression

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// stage is a small project: a composition of 30 frames/s with a controller, a solid and a text.
type stage struct {
	project *aep.Project
	comp    *aep.Item
	machine *Machine
	eval    *eval.Evaluator
	faults  []error
}

func newStage(t testing.TB) *stage {
	t.Helper()
	p := &aep.Project{ExpressionEngine: "javascript-1.0", BitsPerChannel: 8}
	red := &aep.Item{ID: 1, Name: "red", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 200, Height: 100, HasVideo: true, Still: true}}
	data := &aep.Item{ID: 3, Name: "data.json", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Still: true}}
	table := &aep.Item{ID: 4, Name: "table.csv", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Still: true}}
	comp := &aep.Item{ID: 2, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
		Width: 640, Height: 360, PixelAspect: 1, FrameRate: 30, FrameTicks: 1000, TicksPerSecond: 30000, Duration: 10}}
	p.Items = []*aep.Item{comp, red, data, table}
	slider := &aep.Property{Match: "ADBE Slider Control", Name: "Speed", Group: true, Enabled: true, Children: []*aep.Property{
		{Match: "ADBE Slider Control-0001", Name: "Slider", Enabled: true, Dimensions: 1, Value: aep.Numbers{25}},
		{Match: "ADBE Layer Control-0001", Name: "Target", Enabled: true, Dimensions: 1, Value: aep.Numbers{0}, LayerRef: 12}}}
	effects := &aep.Property{Match: "ADBE Effect Parade", Name: "Effects", Group: true, Enabled: true, Children: []*aep.Property{slider}}
	layer := func(id uint32, name string, kind aep.LayerKind, props ...*aep.Property) *aep.Layer {
		l := &aep.Layer{ID: id, Name: name, Kind: kind, Stretch: 100, Out: 10, Enabled: true, Blend: aep.BlendNormal,
			Props: &aep.Property{Group: true, Enabled: true, Children: props}}
		if kind == aep.LayerAV {
			l.Source = red.ID
		}
		comp.Comp.Layers = append(comp.Comp.Layers, l)
		aep.CompleteLayer(p, comp.Comp, l)
		return l
	}
	layer(11, "ctrl", aep.LayerAV, effects)
	box := layer(12, "box", aep.LayerAV)
	title := layer(13, "title", aep.LayerText, &aep.Property{Match: "ADBE Text Properties", Name: "Text", Group: true, Enabled: true, Children: []*aep.Property{
		{Match: "ADBE Text Document", Name: "Source Text", Enabled: true, Value: &aep.TextDocument{Text: "Hello", Runs: []aep.TextRun{{Length: 6,
			Style: aep.CharacterStyle{Font: "Bold", Size: 40, HScale: 100, VScale: 100}}}}}}})
	_ = title
	pos := box.Props.Find("ADBE Transform Group", "ADBE Position")
	pos.Keys = []aep.Keyframe{key(1, aep.Numbers{0, 0, 0}), key(2, aep.Numbers{100, 50, 0})}
	rot := box.Props.Find("ADBE Transform Group", "ADBE Rotate Z")
	rot.Keys = []aep.Keyframe{key(1, aep.Numbers{10}), key(3, aep.Numbers{30})}
	s := &stage{project: p, comp: comp}
	s.eval = &eval.Evaluator{Project: p, OnError: func(_ eval.Ref, _ float64, err error) { s.faults = append(s.faults, err) }}
	s.machine = New(Host{Project: p, Eval: s.eval, ReadData: func(it *aep.Item) ([]byte, error) {
		switch it.Name {
		case "data.json":
			return []byte(`{"title":"From data","list":[3,4],"size":{"w":7}}`), nil
		case "table.csv":
			return []byte("name,age\nAda,36\n\"Grace, H.\",85\n"), nil
		}
		return nil, errors.New("missing")
	}})
	s.eval.Expressions = s.machine
	return s
}

func key(t float64, v aep.Numbers) aep.Keyframe {
	k := aep.Keyframe{Time: t, Value: v, In: aep.Linear, Out: aep.Linear}
	for range v {
		k.InEase, k.OutEase = append(k.InEase, aep.Ease{Influence: 1.0 / 6}), append(k.OutEase, aep.Ease{Influence: 1.0 / 6})
	}
	if len(v) == 3 {
		k.TangentIn, k.TangentOut = make([]float64, 3), make([]float64, 3)
	}
	return k
}

func (s *stage) prop(layer string, path ...string) eval.Ref {
	for _, l := range s.comp.Comp.Layers {
		if l.Name == layer {
			return eval.Ref{Comp: s.comp, Layer: l, Prop: l.Props.Find(path...)}
		}
	}
	return eval.Ref{}
}

func (s *stage) ref(where string) eval.Ref {
	switch where {
	case "opacity":
		return s.prop("box", "ADBE Transform Group", "ADBE Opacity")
	case "rotation":
		return s.prop("box", "ADBE Transform Group", "ADBE Rotate Z")
	case "position":
		return s.prop("box", "ADBE Transform Group", "ADBE Position")
	case "scale":
		return s.prop("box", "ADBE Transform Group", "ADBE Scale")
	}
	return s.prop("title", "ADBE Text Properties", "ADBE Text Document")
}

// run evaluates an expression on a property of the stage.
func (s *stage) run(where, text string, t float64) (aep.Value, error) {
	ref := s.ref(where)
	ref.Prop.Expression, ref.Prop.ExpressionOn = text, true
	defer func() { ref.Prop.Expression, ref.Prop.ExpressionOn = "", false }()
	return s.machine.Evaluate(ref, eval.Plain(ref, t), t)
}

func TestExpressionsHaveAfterEffectsValues(t *testing.T) {
	for _, c := range []struct {
		on, text string
		t        float64
		want     []float64
	}{
		{"opacity", "50", 0, []float64{50}},
		{"opacity", "time*10", 2, []float64{20}},
		{"opacity", "value/2", 0, []float64{50}},
		{"opacity", "x = 3; x*4", 0, []float64{12}},
		{"opacity", "if (time > 1) 10; else 20", 2, []float64{10}},
		{"opacity", "if (time > 1) {10} else {20}", 0, []float64{20}},
		{"opacity", "var a = 1\nvar b = 2\na + b", 0, []float64{3}},
		{"opacity", "try { nothing() } catch (e) { 7 }", 0, []float64{7}},
		{"opacity", "switch (index) { case 2: 22; break; default: 5 }", 0, []float64{22}},
		{"opacity", "for (i = 0, s = 0; i < 4; i++) s += i; s", 0, []float64{6}},
		{"opacity", "function f(x) { return x*2 } f(4)", 0, []float64{8}},
		{"opacity", "const f = x => x + 1; f(4)", 0, []float64{5}},
		{"opacity", "value = value - 60", 0, []float64{40}},
		{"opacity", "time = 5; time", 0, []float64{5}},
		{"opacity", `thisComp.layer("ctrl").effect("Speed")("Slider")`, 0, []float64{25}},
		{"opacity", `thisComp.layer("ctrl").effect("Speed")("Slider") * 2 + 1`, 0, []float64{51}},
		{"opacity", `thisComp.layer(1)("Effects")("Speed")(1)`, 0, []float64{25}},
		{"opacity", `comp("main").layer("ctrl").effect(1)(1).value`, 0, []float64{25}},
		{"opacity", `Math.floor(thisComp.layer("ctrl").effect("Speed")("Slider") / 2)`, 0, []float64{12}},
		{"opacity", `-thisComp.layer("ctrl").effect("Speed")("Slider")`, 0, []float64{-25}},
		{"opacity", "clamp(150, 0, 100)", 0, []float64{100}},
		{"opacity", "linear(time, 1, 3, 0, 100)", 2, []float64{50}},
		{"opacity", "linear(0.25, 0, 8)", 0, []float64{2}},
		{"opacity", "ease(0.25, 0, 1)", 0, []float64{0.15625}},
		{"opacity", "length([3,4])", 0, []float64{5}},
		{"opacity", "length([1,1],[4,5])", 0, []float64{5}},
		{"opacity", "dot([1,2],[3,4])", 0, []float64{11}},
		{"opacity", "timeToFrames(1.5)", 0, []float64{45}},
		{"opacity", "framesToTime(15)*100", 0, []float64{50}},
		{"opacity", "degreesToRadians(180)", 0, []float64{math.Pi}},
		{"opacity", "thisComp.width + thisComp.height", 0, []float64{1000}},
		{"opacity", "width + height", 0, []float64{300}},
		{"opacity", "index + thisComp.numLayers", 0, []float64{5}},
		{"opacity", "posterizeTime(2); time*100", 0.8, []float64{50}},
		{"opacity", "transform.rotation", 2, []float64{20}},
		{"opacity", "rotation.valueAtTime(3)", 0, []float64{30}},
		{"opacity", "rotation.numKeys + rotation.key(2).time", 0, []float64{5}},
		{"opacity", "rotation.nearestKey(2.9).index", 0, []float64{2}},
		{"opacity", "rotation.speed", 2, []float64{10}},
		{"opacity", "position[0] + position[1]", 2, []float64{150}},
		{"opacity", `footage("data.json").sourceData.list[1] + footage("data.json").sourceData.size.w`, 0, []float64{11}},
		{"opacity", `footage("data.json").dataValue([1, 0])`, 0, []float64{3}},
		{"opacity", `footage("table.csv").sourceData[1].age`, 0, []float64{85}},
		{"opacity", "rgbToHsl([1,0,0,1])[2]*100", 0, []float64{50}},
		{"opacity", `hexToRgb("#ff0000")[0]`, 0, []float64{1}},
		{"opacity", "thisProperty.propertyIndex > 0 ? 1 : 0", 0, []float64{1}},
		{"opacity", "inPoint + outPoint", 0, []float64{10}},
		{"opacity", "hasParent ? 1 : 2", 0, []float64{2}},
		{"opacity", "true", 0, []float64{1}},
		{"opacity", "var [x, y] = position; x + y", 2, []float64{150}},
		{"opacity", "Math.max(...position)", 2, []float64{100}},
		{"opacity", "position.map(function (v) { return v / 10 })[0]", 2, []float64{10}},
		{"opacity", "const {width, height} = thisComp; width - height", 0, []float64{280}},
		{"opacity", "let p = thisComp.layer(index - 1).transform.position.value; p[0]", 0, []float64{320}},
		{"opacity", `$.global.nothing === undefined ? 4 : 5`, 0, []float64{4}},
		{"opacity", `effect == undefined ? 1 : 2`, 0, []float64{2}},
		{"opacity", `thisComp.layer("ctrl").effect("Speed").param("Slider")`, 0, []float64{25}},
		{"opacity", `thisComp.layer("ctrl").effect("Speed").slider`, 0, []float64{25}},
		{"opacity", `JSON.parse(JSON.stringify(position))[1]`, 2, []float64{50}},
		{"opacity", `thisComp.layer("box").name.length + name.length`, 0, []float64{6}},
		{"opacity", `eval("1 + 2") * 2`, 0, []float64{6}},
		{"opacity", `var s = 0; position.forEach(function (v) { s += v }); s`, 2, []float64{150}},
		{"opacity", `with (Math) { floor(2.7) }`, 0, []float64{2}},
		{"opacity", "label: for (var i = 0; i < 3; i++) { if (i == 1) break label; i }", 0, []float64{0}},
		{"opacity", "do { 9 } while (false)", 0, []float64{9}},
		{"opacity", "time /* ( */ * (2 /* ) */ + 1)", 2, []float64{6}},
		{"opacity", "sourceRectAtTime().width + thisLayer.sourceRectAtTime(0, true).height", 0, []float64{300}},
		{"opacity", "active ? 1 : 0", 11, []float64{0}},
		{"opacity", "source.name == 'red' ? 3 : 4", 0, []float64{3}},
		{"opacity", "smooth(1, 3)", 0, []float64{100}},
		{"opacity", `thisComp.layer("ctrl").effect("Speed")("Target").index`, 0, []float64{2}},
		{"opacity", `thisComp.layer("ctrl").effect("Speed")("Target").transform.position[0]`, 2, []float64{100}},
		{"rotation", "velocity", 2, []float64{10}},
		{"rotation", "smooth(0.1, 5)", 2, []float64{20}},
		{"rotation", "loopOutDuration('cycle', 1)", 3.5, []float64{25}},
		{"rotation", "key(1) + key(2)", 0, []float64{40}},
		{"rotation", "nearestKey(time).time", 2.9, []float64{3}},
		{"rotation", "thisProperty.key(2).value", 0, []float64{30}},
		{"rotation", "loopOut()", 4, []float64{20}},
		{"rotation", `loopOut("pingpong")`, 3.5, []float64{25}},
		{"rotation", `loopOut("offset")`, 4, []float64{40}},
		{"rotation", `loopOut("continue")`, 4, []float64{40}},
		{"rotation", "loopIn()", 0, []float64{20}},
		{"rotation", "valueAtTime(2)", 0, []float64{20}},
		{"rotation", "value + 1", 2, []float64{21}},
		{"position", "[10, 20]", 0, []float64{10, 20, 0}},
		{"position", "[5*time,250]", 2, []float64{10, 250, 0}},
		{"position", "value + [1, 2]", 2, []float64{101, 52, 0}},
		{"position", "value - [1, 2]", 2, []float64{99, 48, 0}},
		{"position", "2*value", 2, []float64{200, 100, 0}},
		{"position", "value/2", 2, []float64{50, 25, 0}},
		{"position", "-value", 2, []float64{-100, -50, 0}},
		{"position", "p = value; p += [1, 1]; p", 2, []float64{101, 51, 0}},
		{"position", "(value + [10, 10]) * 2 - [1, 1]", 2, []float64{219, 119, 0}},
		{"position", "add(value, [1, 1])", 2, []float64{101, 51, 0}},
		{"position", "toComp([0, 0]) * 0 + [1, 2]", 2, []float64{1, 2, 0}},
		{"position", `thisComp.layer("ctrl").transform.position + [1, 0]`, 0, []float64{321, 180, 0}},
		{"position", "linear(time, 0, 2, [0, 0], [10, 20])", 1, []float64{5, 10, 0}},
		{"position", "[thisComp.width, thisComp.height]/2", 0, []float64{320, 180, 0}},
		{"position", "value + 5", 2, []float64{105, 50, 0}},
		{"position", "[value[0], value[1]*2]", 2, []float64{100, 100, 0}},
		{"scale", "s = 50; [s, s]", 0, []float64{50, 50, 100}},
		{"scale", "[1,2].map(function (x) { return x*10 })", 0, []float64{10, 20, 100}},
	} {
		s := newStage(t)
		v, err := s.run(c.on, c.text, c.t)
		if err != nil {
			t.Errorf("%s of %q: %v", c.on, c.text, err)
			continue
		}
		got, _ := v.(aep.Numbers)
		if len(got) != len(c.want) {
			t.Errorf("%s of %q = %v, want %v", c.on, c.text, got, c.want)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-6 {
				t.Errorf("%s of %q = %v, want %v", c.on, c.text, got, c.want)
				break
			}
		}
	}
}

func TestTextExpressionsKeepTheStyle(t *testing.T) {
	for _, c := range []struct {
		text string
		t    float64
		want string
	}{
		{`"A" + 1`, 0, "A1"},
		{`"a\nb"`, 0, "a\rb"},
		{`time.toFixed(1)`, 1.25, "1.3"},
		{`timeToTimecode(time)`, 3661.5, "01:01:01:15"},
		{`timeToTimecode(time, 25)`, 10.48, "00:00:10:12"},
		{`timeToTimecode(time).substr(3, 5)`, 65, "01:05"},
		{`timeToCurrentFormat(2.5)`, 0, "00:00:02:15"},
		{`timeToNTSCTimecode(60.06, true)`, 0, "00;01;00;02"},
		{`text.sourceText`, 0, "Hello"},
		{`value + "!"`, 0, "Hello!"},
		{`value.toUpperCase()`, 0, "HELLO"},
		{`text.sourceText.split("l")[0]`, 0, "He"},
		{`thisComp.layer("title").text.sourceText + "?"`, 0, "Hello?"},
		{`"Speed " + thisComp.layer("ctrl").effect("Speed")("Slider")`, 0, "Speed 25"},
		{`footage("data.json").sourceData.title`, 0, "From data"},
		{`footage("table.csv").sourceData[1].name`, 0, "Grace, H."},
		{`JSON.parse(footage("data.json").sourceText).list.length`, 0, "2"},
		{"`${name}: ${index}`", 0, "title: 3"},
		{`text.sourceText.style.setText("New").setFontSize(80)`, 0, "New"},
		{`[1,2,3].join("-")`, 0, "1-2-3"},
		{`value.length`, 0, "5"},
	} {
		s := newStage(t)
		v, err := s.run("text", c.text, c.t)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		doc := v.(*aep.TextDocument)
		if doc.Text != c.want {
			t.Errorf("%q = %q, want %q", c.text, doc.Text, c.want)
		}
		if doc.Style().Font != "Bold" {
			t.Errorf("%q lost the font", c.text)
		}
		if strings.Contains(c.text, "setFontSize") && doc.Style().Size != 80 {
			t.Errorf("%q: size %g", c.text, doc.Style().Size)
		}
	}
}

func TestFaultsNameTheLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1;\nnothing;", "line 2: ReferenceError: nothing is not defined"},
		{"var a = ;", "line 1: SyntaxError"},
		{"1;\rthrow new Error('own words')", "line 2: own words"},
		{"x = [1,2];\n\nthisComp.layer('none')", "line 3: there is no layer \"none\""},
		{"'abc'", "a number is needed"},
		{"0/0", "not a number"},
		{"undefined", "gives no value"},
		{"[1,2]*[3,4]", "array"},
		{`$.evalFile("/etc/passwd")`, "not part of the job"},
		{"thisComp.layer('title').sampleImage([1,1])", "not available"},
	} {
		s := newStage(t)
		_, err := s.run("opacity", c.text, 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "After Effects expression error") {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestNothingLeaksIntoTheNextEvaluation(t *testing.T) {
	s := newStage(t)
	if _, err := s.run("opacity", "leak = 5; var own = 6; leak", 0); err != nil {
		t.Fatal(err)
	}
	v, err := s.run("opacity", "(typeof leak == 'undefined') && (typeof own == 'undefined') ? 1 : 2", 0)
	if err != nil || v.(aep.Numbers)[0] != 1 {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := s.run("opacity", "const c = 1; let d = 2; c + d", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.run("opacity", "const c = 1; let d = 2; c + d", 1); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

func TestRandomNumbersAreTheSameEveryTime(t *testing.T) {
	for _, text := range []string{"random(10)", "gaussRandom()*100", "wiggle(2, 30)", "seedRandom(5, true); random(100)", "noise(time)*50", "Math.random()"} {
		a, errA := newStage(t).run("opacity", text, 1.5)
		b, errB := newStage(t).run("opacity", text, 1.5)
		if errA != nil || errB != nil || a.(aep.Numbers)[0] != b.(aep.Numbers)[0] {
			t.Errorf("%q: %v and %v (%v %v)", text, a, b, errA, errB)
		}
	}
	s := newStage(t)
	a, _ := s.run("opacity", "random()", 1)
	b, _ := s.run("opacity", "random()", 2)
	if a.(aep.Numbers)[0] == b.(aep.Numbers)[0] {
		t.Error("random gives the same number at different times")
	}
	a, _ = s.run("opacity", "seedRandom(3, true); random()", 1)
	b, _ = s.run("opacity", "seedRandom(3, true); random()", 2)
	if a.(aep.Numbers)[0] != b.(aep.Numbers)[0] {
		t.Error("a timeless seed gives different numbers at different times")
	}
}

func TestExpressionsThatAskForEachOther(t *testing.T) {
	s := newStage(t)
	op, rot := s.ref("opacity"), s.ref("rotation")
	rot.Prop.Expression, rot.Prop.ExpressionOn = "value * 2", true
	v, err := s.run("opacity", "rotation + 1", 2)
	if err != nil || v.(aep.Numbers)[0] != 41 {
		t.Errorf("got %v, %v", v, err)
	}
	rot.Prop.Expression = "opacity"
	op.Prop.Expression, op.Prop.ExpressionOn = "rotation", true
	if s.eval.Value(op, 0); len(s.faults) == 0 || !strings.Contains(s.faults[0].Error(), "circle") {
		t.Errorf("a circle of expressions: %v", s.faults)
	}
}

func TestHostileExpressionsEnd(t *testing.T) {
	for _, text := range []string{
		"while (true) {}",
		"function f() { return f() } f()",
		"s = 'x'; while (true) s += s",
		"'x'.repeat(1e9)",
		"new Array(4e9).join('x')",
		"Array.prototype.indexOf.call({length: 9e15}, 1)",
		"[].concat.apply([], {length: 4e9})",
		strings.Repeat("(", 100000),
		strings.Repeat("[", 100000) + strings.Repeat("]", 100000),
		"({valueOf: function () { return this + 1 }}) + 1",
		"a = []; for (i = 0; i < 60000; i++) a.push(a); a + a",
		"o = {}; o.toString = function () { return '' + o }; '' + o",
	} {
		s := newStage(t)
		_, err := s.run("opacity", text, 0)
		if err == nil {
			t.Errorf("%.40q gave no error", text)
		}
		if v, err := s.run("opacity", "1 + 1", 0); err != nil || v.(aep.Numbers)[0] != 2 {
			t.Errorf("after %.40q: %v, %v", text, v, err)
		}
	}
}

func TestAnExpressionThatFailsSlowlyCountsAsEndless(t *testing.T) {
	s := newStage(t)
	w := &s.machine.watchdog
	w.limit = 3 * time.Second
	if err := s.machine.rt.Set("slow", func() bool { return w.since(s.machine.cur.began) > w.limit/slowFailure }); err != nil {
		t.Fatal(err)
	}
	_, err := s.run("opacity", "while (!slow()) {} nothing()", 0)
	var endless *eval.TimeoutError
	if !errors.As(err, &endless) || endless.Ref.Prop != s.ref("opacity").Prop {
		t.Errorf("got %v", err)
	}
}

func TestPaths(t *testing.T) {
	s := newStage(t)
	box := s.prop("box", "ADBE Mask Parade")
	shape := &aep.Property{Match: "ADBE Mask Shape", Name: "Mask Path", Enabled: true, Value: &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: 0, Y: 0}, {X: 10, Y: 0}, {X: 10, Y: 10}}}}
	box.Prop.Children = append(box.Prop.Children, &aep.Property{Match: "ADBE Mask Atom", Name: "Mask 1", Group: true, Enabled: true, Mask: &aep.MaskInfo{}, Children: []*aep.Property{shape}})
	ref := eval.Ref{Comp: s.comp, Layer: box.Layer, Prop: shape}
	for text, want := range map[string]aep.Path{
		"createPath([[1,2],[3,4]], [], [], false)": {Vertices: []aep.Vertex{{X: 1, Y: 2}, {X: 3, Y: 4}}},
		"createPath(points().map(function (p) { return p + [1, 1] }), inTangents(), outTangents(), isClosed())": {
			Closed: true, Vertices: []aep.Vertex{{X: 1, Y: 1}, {X: 11, Y: 1}, {X: 11, Y: 11}}},
		`thisLayer.mask("Mask 1").maskPath`: *shape.Value.(*aep.Path),
	} {
		shape.Expression, shape.ExpressionOn = text, true
		v, err := s.machine.Evaluate(ref, shape.Value, 0)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := v.(*aep.Path)
		if got.Closed != want.Closed || len(got.Vertices) != len(want.Vertices) {
			t.Errorf("%q = %+v, want %+v", text, got, want)
			continue
		}
		for i := range got.Vertices {
			if got.Vertices[i] != want.Vertices[i] {
				t.Errorf("%q = %+v, want %+v", text, got, want)
			}
		}
	}
}

func BenchmarkSmallExpression(b *testing.B) {
	s := newStage(b)
	ref := s.ref("position")
	ref.Prop.Expression, ref.Prop.ExpressionOn = "[value[0] + Math.sin(time*2)*50, value[1]]", true
	before := eval.Plain(ref, 2)
	for b.Loop() {
		if _, err := s.machine.Evaluate(ref, before, 2); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScalarExpression(b *testing.B) {
	s := newStage(b)
	ref := s.ref("opacity")
	ref.Prop.Expression, ref.Prop.ExpressionOn = "Math.sin(time*2)*50", true
	for b.Loop() {
		if _, err := s.machine.Evaluate(ref, aep.Numbers{100}, 2); err != nil {
			b.Fatal(err)
		}
	}
}
