package expression

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// newReference is a stage with one of each thing that After Effects' expression language reference speaks of.
func newReference(t testing.TB) *stage {
	s := newStage(t)
	ctrl, box := s.comp.Comp.Layers[0], s.comp.Comp.Layers[1]
	s.project.Item(1).Footage.PixelAspect = 1
	ctrl.Comment = "moves everything"
	box.Markers = []aep.Marker{{Time: 1, Comment: "in", Duration: 0.5, Chapter: "one", URL: "x.org", FrameTarget: "top", CuePoint: "cue", Protected: true,
		Parameters: [][2]string{{"a", "b"}}}, {Time: 4, Comment: "out"}}
	s.comp.Comp.Markers = []aep.Marker{{Time: 2, Comment: "middle"}}
	path := &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: 0, Y: 0}, {X: 10, Y: 0, OutX: 1, InX: 2}, {X: 10, Y: 10}, {X: 0, Y: 10}}}
	box.Props.Child("ADBE Mask Parade").Children = []*aep.Property{{Match: "ADBE Mask Atom", Name: "Mask 1", Group: true, Enabled: true,
		Mask: &aep.MaskInfo{Inverted: true}, Children: []*aep.Property{{Match: "ADBE Mask Shape", Name: "Mask Path", Enabled: true, Value: path}}}}
	pseudo := &aep.Property{Match: "Pseudo/rig", Name: "Rig", Group: true, Enabled: true, Children: []*aep.Property{
		{Match: "Pseudo/rig-0001", Name: "Target", Enabled: true, Dimensions: 1, Value: aep.Numbers{0}, ChoosesLayer: true, LayerRef: 12},
		{Match: "Pseudo/rig-0002", Name: "Nobody", Enabled: true, Dimensions: 1, Value: aep.Numbers{0}, ChoosesLayer: true},
		{Match: "Pseudo/rig-0003", Name: "Mode", Enabled: true, Dimensions: 1, Value: aep.Numbers{2}, Choices: []string{"A", "B"}},
		{Match: "Pseudo/rig-0004", Name: "On", Enabled: true, Dimensions: 1, Value: aep.Numbers{1}},
		{Match: "Pseudo/rig-0005", Name: "Tint", Enabled: true, Dimensions: 4, Color: true, Value: aep.Numbers{1, 0.5, 0.25, 1}},
		{Match: "Pseudo/rig-0006", Name: "Place", Enabled: true, Dimensions: 3, Value: aep.Numbers{1, 2, 3}}}}
	effects := ctrl.Props.Child("ADBE Effect Parade")
	effects.Children = append(effects.Children, pseudo)
	add := func(id uint32, name string, kind aep.LayerKind, threeD bool) *aep.Layer {
		l := &aep.Layer{ID: id, Name: name, Kind: kind, Stretch: 100, Out: 10, Enabled: true, ThreeD: threeD, Props: &aep.Property{Group: true, Enabled: true}}
		if kind == aep.LayerAV {
			l.Source = 1
		}
		s.comp.Comp.Layers = append(s.comp.Comp.Layers, l)
		aep.CompleteLayer(s.project, s.comp.Comp, l)
		return l
	}
	child := add(21, "child", aep.LayerAV, false)
	child.Parent, child.Start, child.Stretch = 11, 1, 200
	child.Props.Find("ADBE Transform Group", "ADBE Position").Value = aep.Numbers{10, 20, 0}
	add(22, "cam", aep.LayerCamera, true).In = 1
	add(23, "lamp", aep.LayerLight, true)
	cube := add(24, "cube", aep.LayerAV, true)
	cube.Props.Find("ADBE Transform Group", "ADBE Position").Value = aep.Numbers{320, 180, 100}
	cube.Props.Find("ADBE Transform Group", "ADBE Rotate Y").Value = aep.Numbers{90}
	tile := add(25, "tile", aep.LayerAV, true)
	tile.Props.Find("ADBE Transform Group", "ADBE Rotate Y").Value = aep.Numbers{60}
	s.project.Items = append(s.project.Items, &aep.Item{ID: 9, Name: "motion.mgjson", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile}})
	read := s.machine.host.ReadData
	s.machine.host.ReadData = func(it *aep.Item) ([]byte, error) {
		if it.Name != "motion.mgjson" {
			return read(it)
		}
		return []byte(motionJSON), nil
	}
	return s
}

const motionJSON = `{"version":"MGJSON2.0.0","dataOutline":[
 {"objectType":"dataStatic","displayName":"who","dataType":{"type":"paddedString"},"value":{"length":"3","str":"Ada"}},
 {"objectType":"dataDynamic","displayName":"speed","sampleSetID":"s1","interpolation":"linear","dataType":{"type":"numberString"}}],
 "dataDynamicSamples":[{"sampleSetID":"s1","samples":[
  {"time":"2020-01-01T00:00:00.000Z","value":"10"},{"time":"2020-01-01T00:00:02.000Z","value":"30"},{"time":"2020-01-01T00:00:04.000Z","value":"50"}]}]}`

// give is the value of an expression on a property of the stage, as JSON.
func (s *stage) give(where, text string, t float64) (string, error) {
	var got string
	seen := false
	_ = s.machine.rt.Set("$got", func(c goja.FunctionCall) goja.Value {
		stringify, _ := goja.AssertFunction(s.machine.rt.Get("JSON").(*goja.Object).Get("stringify"))
		v, err := stringify(goja.Undefined(), c.Argument(0))
		if err != nil {
			panic(err)
		}
		got, seen = v.String(), true
		return goja.Undefined()
	})
	_, err := s.run(where, text+"\n;value", t)
	if err == nil && !seen {
		err = errors.New("it did not call $got")
	}
	return got, err
}

// row is a function or attribute of the language, an expression that uses it, and the value that its definition gives.
type row struct {
	name, on, text string
	t              float64
	want           string // as JSON
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		s := newReference(t)
		text := "$got(" + r.text + ")"
		got, err := s.give(r.on, text, r.t)
		if err != nil {
			t.Errorf("%s: %s on %s: %v", r.name, r.text, r.on, err)
			continue
		}
		if !alike(got, r.want) {
			t.Errorf("%s: %s on %s at %g = %s, want %s", r.name, r.text, r.on, r.t, got, r.want)
		}
	}
}

// alike compares JSON; numbers may differ by a millionth.
func alike(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return a == b
	}
	return near(x, y)
}

func near(x, y any) bool {
	switch x := x.(type) {
	case float64:
		f, ok := y.(float64)
		return ok && math.Abs(x-f) < 1e-6*max(1, math.Abs(f))
	case []any:
		list, ok := y.([]any)
		if !ok || len(list) != len(x) {
			return false
		}
		for i := range x {
			if !near(x[i], list[i]) {
				return false
			}
		}
		return true
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

func TestReferenceGlobals(t *testing.T) {
	check(t, []row{
		{"comp", "opacity", `comp("main").name`, 0, `"main"`},
		{"footage", "opacity", `footage("red").width`, 0, `200`},
		{"thisComp", "opacity", `thisComp.height`, 0, `360`},
		{"thisLayer", "opacity", `thisLayer.name`, 0, `"box"`},
		{"thisProperty", "opacity", `thisProperty.name`, 0, `"Opacity"`},
		{"thisProject", "opacity", `thisProject.bitsPerChannel`, 0, `8`},
		{"colorDepth", "opacity", `colorDepth`, 0, `8`},
		{"time", "opacity", `time`, 2.5, `2.5`},
		{"value", "rotation", `value`, 2, `20`},
		{"posterizeTime", "opacity", `posterizeTime(1), time`, 2.7, `2`},
		{"timeToFrames", "opacity", `timeToFrames()`, 2, `60`},
		{"timeToFrames of a duration", "opacity", `timeToFrames(0.101, 10, true)`, 0, `2`},
		{"framesToTime", "opacity", `framesToTime(45)`, 0, `1.5`},
		{"timeToTimecode", "opacity", `timeToTimecode(61.5)`, 0, `"00:01:01:15"`},
		{"timeToNTSCTimecode", "opacity", `timeToNTSCTimecode(60.06, true)`, 0, `"00;01;00;02"`},
		{"timeToFeetAndFrames", "opacity", `timeToFeetAndFrames(1)`, 0, `"0001+14"`},
		{"timeToCurrentFormat", "opacity", `timeToCurrentFormat(2.5)`, 0, `"00:00:02:15"`},
	})
}

func TestReferenceMathematics(t *testing.T) {
	check(t, []row{
		{"add", "opacity", `add([1,2,3],[1,1])`, 0, `[2,3,3]`},
		{"sub", "opacity", `sub([1,2],[1,1,1])`, 0, `[0,1,-1]`},
		{"mul", "opacity", `mul([1,2],3)`, 0, `[3,6]`},
		{"div", "opacity", `div([1,2],2)`, 0, `[0.5,1]`},
		{"clamp of a number", "opacity", `clamp(5, 10, 20)`, 0, `10`},
		{"clamp of an array", "opacity", `clamp([5,15,25], 10, 20)`, 0, `[10,15,20]`},
		{"dot", "opacity", `dot([1,2,3],[4,5,6])`, 0, `32`},
		{"cross", "opacity", `cross([1,0,0],[0,1,0])`, 0, `[0,0,1]`},
		{"normalize", "opacity", `normalize([3,4])`, 0, `[0.6,0.8]`},
		{"length", "opacity", `length([2,3,6])`, 0, `7`},
		{"length between points", "opacity", `length([1,1],[4,5])`, 0, `5`},
		{"lookAt ahead", "opacity", `lookAt([0,0,0],[0,0,5])`, 0, `[0,0,0]`},
		{"lookAt to the right", "opacity", `lookAt([0,0,0],[5,0,0])`, 0, `[0,90,0]`},
		{"lookAt upwards", "opacity", `lookAt([0,0,0],[0,-5,5])`, 0, `[45,0,0]`},
		{"operators on arrays", "opacity", `([1,2] + [3,4]) * 2 - [1,1]`, 0, `[7,11]`},
		{"minus", "opacity", `-[1,2]`, 0, `[-1,-2]`},
		{"arrays of arrays", "opacity", `[[1,2],[3,4]] + [[1,1],[1,1]]`, 0, `[[2,3],[4,5]]`},
		{"arrays of arrays times a number", "opacity", `[[1,2],[3,4]] * 2`, 0, `[[2,4],[6,8]]`},
		{"arrays in arrays of one number", "opacity", `[[1],[2]] + [1,1]`, 0, `[2,3]`},
		{"texts are joined", "opacity", `["a","b"] + "c"`, 0, `"a,bc"`},
		{"degreesToRadians", "opacity", `degreesToRadians(90)`, 0, `1.5707963268`},
		{"radiansToDegrees", "opacity", `radiansToDegrees(Math.PI)`, 0, `180`},
		{"rgbToHsl", "opacity", `rgbToHsl([0,0.5,0,1])`, 0, `[0.3333333333,1,0.25,1]`},
		{"hslToRgb", "opacity", `hslToRgb([0.3333333333,1,0.25,1])`, 0, `[0,0.5,0,1]`},
		{"hexToRgb", "opacity", `hexToRgb("00FF80")`, 0, `[0,1,0.5019607843,1]`},
		{"linear", "opacity", `linear(2, 1, 3, [0,10], [10,30])`, 0, `[5,20]`},
		{"linear beyond its end", "opacity", `linear(9, 1, 3, 0, 10)`, 0, `10`},
		{"linear of three", "opacity", `linear(0.5, 10, 20)`, 0, `15`},
		{"ease", "opacity", `ease(0.25, 0, 1, 0, 100)`, 0, `15.625`},
		{"easeIn starts slowly", "opacity", `easeIn(0.1, 0, 1) < 0.1`, 0, `true`},
		{"easeOut ends slowly", "opacity", `easeOut(0.9, 0, 1) > 0.9`, 0, `true`},
		{"random", "opacity", `random() < 1`, 0, `true`},
		{"random to a maximum", "opacity", `random([10,20]).length`, 0, `2`},
		{"random in a range", "opacity", `random(5, 6) >= 5`, 0, `true`},
		{"gaussRandom", "opacity", `typeof gaussRandom(5)`, 0, `"number"`},
		{"seedRandom", "opacity", `(seedRandom(3, true), random()) == (seedRandom(3, true), random())`, 0, `true`},
		{"noise", "opacity", `noise([0.5, 1]) == noise([0.5, 1]) && Math.abs(noise(3.3)) <= 1`, 0, `true`},
	})
}

func TestReferenceCompositionsAndFootage(t *testing.T) {
	check(t, []row{
		{"layer by number", "opacity", `thisComp.layer(1).name`, 0, `"ctrl"`},
		{"layer by name", "opacity", `thisComp.layer("title").index`, 0, `3`},
		{"layer beside another", "opacity", `thisComp.layer(thisLayer, 1).name`, 0, `"title"`},
		{"layerByComment", "opacity", `thisComp.layerByComment("moves").name`, 0, `"ctrl"`},
		{"numLayers", "opacity", `thisComp.numLayers`, 0, `8`},
		{"activeCamera", "opacity", `thisComp.activeCamera.name`, 2, `"cam"`},
		{"activeCamera before it begins", "opacity", `thisComp.activeCamera`, 0.5, `null`},
		{"width", "opacity", `thisComp.width`, 0, `640`},
		{"duration", "opacity", `thisComp.duration`, 0, `10`},
		{"ntscDropFrame", "opacity", `thisComp.ntscDropFrame`, 0, `false`},
		{"displayStartTime", "opacity", `thisComp.displayStartTime`, 0, `0`},
		{"frameDuration", "opacity", `thisComp.frameDuration`, 0, `0.0333333333`},
		{"shutterAngle", "opacity", `thisComp.shutterAngle`, 0, `0`},
		{"shutterPhase", "opacity", `thisComp.shutterPhase`, 0, `0`},
		{"bgColor", "opacity", `thisComp.bgColor`, 0, `[0,0,0,1]`},
		{"pixelAspect", "opacity", `thisComp.pixelAspect`, 0, `1`},
		{"name", "opacity", `thisComp.name`, 0, `"main"`},
		{"marker of a composition", "opacity", `thisComp.marker.key(1).time`, 0, `2`},
		{"marker.numKeys", "opacity", `marker.numKeys`, 0, `2`},
		{"marker.key by name", "opacity", `marker.key("out").time`, 0, `4`},
		{"marker.nearestKey", "opacity", `marker.nearestKey(time).index`, 3, `2`},
		{"MarkerKey", "opacity", `(k = marker.key(1), [k.time, k.index, k.duration, k.comment, k.chapter, k.url, k.frameTarget, k.cuePointName, k.parameters.a, k.protectedRegion])`, 0,
			`[1,1,0.5,"in","one","x.org","top","cue","b",true]`},
		{"footage size", "opacity", `[footage("red").width, footage("red").height]`, 0, `[200,100]`},
		{"footage times", "opacity", `[footage("red").duration, footage("red").pixelAspect, footage("red").ntscDropFrame]`, 0, `[0,1,false]`},
		{"sourceText", "opacity", `footage("data.json").sourceText.length`, 0, `49`},
		{"sourceData", "opacity", `footage("data.json").sourceData.list`, 0, `[3,4]`},
		{"sourceData of a table", "opacity", `footage("table.csv").sourceData[0].name`, 0, `"Ada"`},
		{"dataValue", "opacity", `footage("data.json").dataValue([1,1])`, 0, `4`},
		{"dataValue of a fixed stream", "opacity", `footage("motion.mgjson").dataValue([0])`, 0, `"Ada"`},
		{"dataValue of a moving stream", "opacity", `footage("motion.mgjson").dataValue([1])`, 1, `20`},
		{"dataKeyCount", "opacity", `footage("motion.mgjson").dataKeyCount([1])`, 0, `3`},
		{"dataKeyTimes", "opacity", `footage("motion.mgjson").dataKeyTimes([1], 1, 5)`, 0, `[2,4]`},
		{"dataKeyValues", "opacity", `footage("motion.mgjson").dataKeyValues([1])`, 0, `[10,30,50]`},
	})
}

func TestReferenceLayers(t *testing.T) {
	check(t, []row{
		{"source", "opacity", `source.name`, 0, `"red"`},
		{"sourceTime", "opacity", `thisComp.layer("child").sourceTime(5)`, 0, `2`},
		{"sourceRectAtTime", "opacity", `(r = sourceRectAtTime(), [r.left, r.top, r.width, r.height])`, 0, `[0,0,200,100]`},
		{"effect", "opacity", `thisComp.layer("ctrl").effect("Speed").name`, 0, `"Speed"`},
		{"mask", "opacity", `mask("Mask 1").invert`, 0, `true`},
		{"width and height", "opacity", `[width, height]`, 0, `[200,100]`},
		{"index", "opacity", `index`, 0, `2`},
		{"parent", "opacity", `thisComp.layer("child").parent.name`, 0, `"ctrl"`},
		{"hasParent", "opacity", `[hasParent, thisComp.layer("child").hasParent]`, 0, `[false,true]`},
		{"inPoint and outPoint", "opacity", `[inPoint, outPoint]`, 0, `[0,10]`},
		{"startTime", "opacity", `thisComp.layer("child").startTime`, 0, `1`},
		{"hasVideo and hasAudio", "opacity", `[hasVideo, hasAudio, thisComp.layer("cam").hasVideo]`, 0, `[true,false,false]`},
		{"enabled and active", "opacity", `[enabled, active, thisComp.layer("cam").active]`, 0, `[true,true,false]`},
		{"audioActive", "opacity", `audioActive`, 0, `false`},
		{"activeAtTime", "opacity", `thisComp.layer("cam").activeAtTime(2)`, 0, `true`},
		{"sampleImage inside a solid", "opacity", `thisComp.layer("child").sampleImage([100,50])[3]`, 0, `1`},
		{"sampleImage at its edge", "opacity", `thisComp.layer("child").sampleImage([0,50],[2,2])[3]`, 0, `0.5`},
		{"sampleImage outside of it", "opacity", `thisComp.layer("child").sampleImage([-9,50])`, 0, `[0,0,0,0]`},
		{"anchorPoint", "opacity", `anchorPoint.value`, 0, `[100,50]`},
		{"position", "opacity", `position.value`, 2, `[100,50]`},
		{"scale", "opacity", `scale.value`, 0, `[100,100]`},
		{"rotation", "opacity", `rotation.value`, 2, `20`},
		{"opacity", "rotation", `opacity.value`, 2, `100`},
		{"transform", "opacity", `transform.rotation.value`, 2, `20`},
		{"marker", "opacity", `marker.key(1).comment`, 0, `"in"`},
		{"name", "opacity", `name`, 0, `"box"`},
		{"orientation", "opacity", `thisComp.layer("cube").orientation.value`, 0, `[0,0,0]`},
		{"xRotation", "opacity", `thisComp.layer("cube").xRotation.value`, 0, `0`},
		{"material", "opacity", `(l = thisComp.layer("cube"), [l.castsShadows.value, l.lightTransmission.value, l.acceptsShadows.value, l.acceptsLights.value, l.ambient.value,
			l.diffuse.value, l.specular.value, l.shininess.value, l.metal.value])`, 0, `[0,0,1,1,100,50,50,5,100]`},
		{"materialOption", "opacity", `thisComp.layer("cube").materialOption.specularIntensity.value`, 0, `50`},
		{"camera", "opacity", `(c = thisComp.layer("cam"), [c.pointOfInterest.value, c.zoom.value, c.depthOfField.value, c.focusDistance.value, c.aperture.value > 0, c.blurLevel.value])`, 0,
			`[[320,180,0],888.888889,0,888.888889,true,100]`},
		{"cameraOption", "opacity", `thisComp.layer("cam").cameraOption.irisShape.value`, 0, `1`},
		{"light", "opacity", `(l = thisComp.layer("lamp"), [l.intensity.value, l.color.value, l.coneAngle.value, l.coneFeather.value, l.shadowDarkness.value, l.shadowDiffusion.value])`, 0,
			`[100,[1,1,1,1],90,50,100,0]`},
		{"falloff", "opacity", `(l = thisComp.layer("lamp"), [l.falloff.value, l.radius.value, l.falloffDistance.value])`, 0, `[1,500,500]`},
		{"toComp", "opacity", `thisComp.layer("child").toComp([100,50])`, 0, `[230,150]`},
		{"fromComp", "opacity", `thisComp.layer("child").fromComp([230,150])`, 0, `[100,50]`},
		{"toWorld", "opacity", `thisComp.layer("child").toWorld([0,0])`, 0, `[130,100]`},
		{"fromWorld", "opacity", `thisComp.layer("child").fromWorld([130,100])`, 0, `[0,0]`},
		{"toCompVec", "opacity", `thisComp.layer("child").toCompVec([3,4])`, 0, `[3,4]`},
		{"fromCompVec", "opacity", `thisComp.layer("child").fromCompVec([3,4])`, 0, `[3,4]`},
		{"toWorldVec", "opacity", `thisComp.layer("child").toWorldVec([3,4])`, 0, `[3,4]`},
		{"fromWorldVec", "opacity", `thisComp.layer("child").fromWorldVec([3,4])`, 0, `[3,4]`},
		{"toWorld in space", "opacity", `thisComp.layer("cube").toWorld([100,50,0])`, 0, `[320,180,100]`},
		{"toWorld of a turned layer", "opacity", `thisComp.layer("cube").toWorld([110,50,0])`, 0, `[320,180,90]`},
		{"fromWorld in space", "opacity", `thisComp.layer("cube").fromWorld([320,180,90])`, 0, `[110,50,0]`},
		{"toWorldVec in space", "opacity", `thisComp.layer("cube").toWorldVec([1,0,0])`, 0, `[0,0,-1]`},
		{"toComp in space", "opacity", `thisComp.layer("cube").toComp([100,50,-50])`, 2, `[275.0561798,180,100]`},
		{"toComp without a camera", "opacity", `thisComp.layer("cube").toComp([100,50,-50])`, 0, `[275.0561798,180,100]`},
		{"fromComp in space", "opacity", `(l = thisComp.layer("cube"), l.fromComp(l.toComp([10,20,30])))`, 2, `[10,20,30]`},
		{"fromCompToSurface in space", "opacity", `(l = thisComp.layer("tile"), l.fromCompToSurface(l.toComp([120,70,0])))`, 2, `[120,70,0]`},
		{"lookAt aslant turns z there", "opacity", `lookAt([0,0,0],[1,-1,Math.sqrt(2)])`, 0, `[35.26438968,30,0]`},
		{"fromCompToSurface", "opacity", `thisComp.layer("child").fromCompToSurface([230,150])`, 0, `[100,50]`},
	})
}

func TestReferenceEffectsMasksAndPaths(t *testing.T) {
	check(t, []row{
		{"effect.active", "opacity", `thisComp.layer("ctrl").effect(1).active`, 0, `true`},
		{"effect.param", "opacity", `thisComp.layer("ctrl").effect(1).param("Slider").value`, 0, `25`},
		{"by number", "opacity", `thisComp.layer("ctrl")("Effects")(1)(1).value`, 0, `25`},
		{"by match name", "opacity", `thisComp.layer("ctrl")("ADBE Effect Parade")("Speed")("ADBE Slider Control-0001").value`, 0, `25`},
		{"layer of a pseudo effect", "opacity", `thisComp.layer("ctrl").effect("Rig")("Target").name`, 0, `"box"`},
		{"layer by number", "opacity", `thisComp.layer("ctrl").effect("Rig")(1).transform.rotation.value`, 2, `20`},
		{"no layer chosen", "opacity", `thisComp.layer("ctrl").effect("Rig")("Nobody")`, 0, `null`},
		{"menu", "opacity", `thisComp.layer("ctrl").effect("Rig")("Mode") == 2`, 0, `true`},
		{"checkbox", "opacity", `thisComp.layer("ctrl").effect("Rig")("On") == true`, 0, `true`},
		{"colour", "opacity", `thisComp.layer("ctrl").effect("Rig")("Tint").value`, 0, `[1,0.5,0.25,1]`},
		{"point in space", "opacity", `thisComp.layer("ctrl").effect("Rig")("Place")[2]`, 0, `3`},
		{"maskPath", "opacity", `mask(1).maskPath.points()`, 0, `[[0,0],[10,0],[10,10],[0,10]]`},
		{"mask values", "opacity", `[mask(1).maskOpacity === undefined, mask(1).name]`, 0, `[true,"Mask 1"]`},
		{"inTangents", "opacity", `mask(1).maskPath.inTangents()[1]`, 0, `[2,0]`},
		{"outTangents", "opacity", `mask(1).maskPath.outTangents()[1]`, 0, `[1,0]`},
		{"isClosed", "opacity", `mask(1).maskPath.isClosed()`, 0, `true`},
		{"pointOnPath", "opacity", `createPath([[0,0],[10,0]], [], [], false).pointOnPath(0.25)`, 0, `[2.5,0]`},
		{"tangentOnPath", "opacity", `createPath([[0,0],[10,0]], [], [], false).tangentOnPath(0.5)`, 0, `[1,0]`},
		{"normalOnPath", "opacity", `Math.abs(dot(createPath([[0,0],[10,0]], [], [], false).normalOnPath(0.5), [1,0]))`, 0, `0`},
		{"createPath", "opacity", `createPath().points()`, 0, `[[0,0],[100,0],[100,100],[0,100]]`},
	})
}

func TestReferenceProperties(t *testing.T) {
	check(t, []row{
		{"value", "opacity", `rotation.value`, 2, `20`},
		{"name", "opacity", `rotation.name`, 2, `"Rotation"`},
		{"velocity", "opacity", `rotation.velocity`, 2, `10`},
		{"speed", "opacity", `position.speed`, 1.5, `111.8033989`},
		{"valueAtTime", "opacity", `position.valueAtTime(1.5)`, 0, `[50,25]`},
		{"velocityAtTime", "opacity", `position.velocityAtTime(1.5)`, 0, `[100,50]`},
		{"speedAtTime", "opacity", `rotation.speedAtTime(2)`, 0, `10`},
		{"numKeys", "opacity", `position.numKeys`, 0, `2`},
		{"key", "opacity", `[rotation.key(2).time, rotation.key(2).value, rotation.key(2).index]`, 0, `[3,30,2]`},
		{"nearestKey", "opacity", `rotation.nearestKey(2.9).index`, 0, `2`},
		{"propertyGroup", "opacity", `[thisProperty.propertyGroup(1).name, propertyGroup(2).name]`, 0, `["Transform","box"]`},
		{"propertyIndex", "opacity", `thisComp.layer("ctrl").effect("Speed")("Target") && thisComp.layer("ctrl").effect("Speed")("Slider").propertyIndex`, 0, `1`},
		{"numProperties", "opacity", `thisComp.layer("ctrl").effect("Rig").numProperties`, 0, `6`},
		{"wiggle stays near", "opacity", `Math.abs(wiggle(2, 10) - 100) <= 10`, 1.3, `true`},
		{"temporalWiggle", "rotation", `Math.abs(temporalWiggle(2, 0.1) - 20) <= 1.0001`, 2, `true`},
		{"smooth", "rotation", `smooth(0.2, 3)`, 2, `20`},
		{"smooth at a corner", "rotation", `smooth(2, 3)`, 1, `13.3333333`},
		{"loopIn cycle", "rotation", `loopIn("cycle")`, 0.5, `25`},
		{"loopIn pingpong", "rotation", `loopIn("pingpong")`, 0.5, `15`},
		{"loopIn offset", "rotation", `loopIn("offset")`, 0.5, `5`},
		{"loopIn continue", "rotation", `loopIn("continue")`, 0.5, `5`},
		{"loopOut cycle", "rotation", `loopOut("cycle")`, 3.5, `15`},
		{"loopOut pingpong", "rotation", `loopOut("pingpong")`, 3.5, `25`},
		{"loopOut offset", "rotation", `loopOut("offset")`, 3.5, `35`},
		{"loopOut continue", "rotation", `loopOut("continue")`, 3.5, `35`},
		{"loopOut of the last keys", "rotation", `loopOut("cycle", 1)`, 3.5, `15`},
		{"loopInDuration cycle", "rotation", `loopInDuration("cycle", 1)`, 0.5, `15`},
		{"loopInDuration pingpong", "rotation", `loopInDuration("pingpong", 1)`, 0.5, `15`},
		{"loopInDuration offset", "rotation", `loopInDuration("offset", 1)`, 0.5, `5`},
		{"loopOutDuration cycle", "rotation", `loopOutDuration("cycle", 1)`, 3.5, `25`},
		{"loopOutDuration pingpong", "rotation", `loopOutDuration("pingpong", 1)`, 3.25, `27.5`},
		{"loopOutDuration offset", "rotation", `loopOutDuration("offset", 1)`, 3.5, `35`},
		{"loopOutDuration continue", "rotation", `loopOutDuration("continue", 1)`, 3.5, `35`},
		{"a number's methods", "opacity", `thisComp.layer("ctrl").effect("Speed")("Slider").toFixed(2)`, 0, `"25.00"`},
		{"an array's methods", "opacity", `position.map(function (v) { return v * 2 })`, 2, `[200,100]`},
		{"length of an array", "opacity", `position.length`, 2, `2`},
	})
}

func TestReferenceText(t *testing.T) {
	check(t, []row{
		{"sourceText", "opacity", `thisComp.layer("title").text.sourceText.value`, 0, `"Hello"`},
		{"style", "text", `(s = text.sourceText.style, [s.fontSize, s.font, s.isFauxBold, s.tracking, s.applyFill])`, 0, `[40,"Bold",false,0,false]`},
		{"getStyleAt", "text", `text.sourceText.getStyleAt(1, 0).fontSize`, 0, `40`},
		{"set and read", "text", `(s = style.setFontSize(10).setFillColor([1,0,0]).setHorizontalScaling(50).setBaselineOption("superscript").setLeading(12),
			[s.fontSize, s.fillColor, s.horizontalScaling, s.baselineOption, s.leading, s.isAutoLeading])`, 0, `[10,[1,0,0],50,"superscript",12,false]`},
		{"flags", "text", `(s = style.setFauxBold(true).setFauxItalic(true).setAllCaps(true).setSmallCaps(true).setApplyStroke(true).setStrokeWidth(3).setStrokeColor([0,1,0]),
			[s.isFauxBold, s.isFauxItalic, s.isAllCaps, s.isSmallCaps, s.applyStroke, s.strokeWidth, s.strokeColor])`, 0, `[true,true,true,true,true,3,[0,1,0]]`},
		{"paragraphs", "text", `(s = style.setJustification("alignCenter").setFirstLineIndent(1).setLeftMargin(2).setRightMargin(3).setSpaceBefore(4).setSpaceAfter(5),
			[s.justification, s.firstLineIndent, s.leftMargin, s.rightMargin, s.spaceBefore, s.spaceAfter])`, 0, `["alignCenter",1,2,3,4,5]`},
		{"pathOption", "opacity", `thisComp.layer("title").text.pathOption.firstMargin.value`, 0, `0`},
		{"moreOption", "opacity", `thisComp.layer("title").text.moreOption.anchorPointGrouping.value`, 0, `1`},
	})
}

func TestTheSpellingOfAfterEffects5(t *testing.T) {
	check(t, []row{
		{"this_comp", "opacity", `this_comp.num_layers`, 0, `8`},
		{"this_layer", "opacity", `this_layer.in_point + this_layer.start_time`, 0, `0`},
		{"anchor_point", "opacity", `this_layer.anchor_point.value`, 0, `[100,50]`},
		{"anchor_point of a group", "opacity", `transform.anchor_point.value`, 0, `[100,50]`},
		{"value_at_time", "opacity", `rotation.value_at_time(2)`, 0, `20`},
		{"to_comp", "opacity", `this_comp.layer("child").to_comp([100,50])`, 0, `[230,150]`},
		{"loop_out", "rotation", `loop_out("cycle")`, 3.5, `15`},
		{"nearest_key", "opacity", `marker.nearest_key(3).index + rotation.num_keys`, 0, `4`},
		{"degrees_to_radians", "opacity", `degrees_to_radians(180)`, 0, `3.1415926536`},
		{"frame_duration", "opacity", `this_comp.frame_duration * 30`, 0, `1`},
	})
}

// What a property's own expression reads of it is the value without the expression, on whatever way.
func TestAPropertyReadsItselfWithoutItsExpression(t *testing.T) {
	check(t, []row{
		{"thisProperty", "rotation", `thisProperty.value`, 2, `20`},
		{"the layer's property", "rotation", `thisLayer.rotation.value`, 2, `20`},
		{"through the group", "rotation", `transform.rotation.valueAtTime(1)`, 2, `10`},
		{"through the composition", "rotation", `thisComp.layer("box")("Transform")("Rotation").value`, 2, `20`},
		{"velocity", "rotation", `velocity`, 2, `10`},
		{"speedAtTime", "rotation", `thisLayer.transform.rotation.speedAtTime(2)`, 2, `10`},
		{"toComp of its own layer", "position", `toComp([100,50])`, 2, `[100,50]`},
		{"fromComp of its own layer", "position", `fromComp([100,50])`, 2, `[100,50]`},
		{"toWorld at another time", "position", `toWorld([100,50], 1.5)`, 2, `[50,25]`},
		{"sourceRectAtTime of its own layer", "text", `sourceRectAtTime().width > 0`, 2, `true`},
		{"its own text", "text", `text.sourceText + thisLayer.text.sourceText`, 2, `"HelloHello"`},
	})
	s := newReference(t)
	child, ctrl := s.prop("child", "ADBE Transform Group", "ADBE Position"), s.prop("ctrl", "ADBE Transform Group", "ADBE Position")
	child.Prop.Expression, child.Prop.ExpressionOn = `toWorld([100,50])`, true
	if v := s.eval.Value(child, 0).(aep.Numbers); v[0] != 230 || v[1] != 150 || len(s.faults) > 0 {
		t.Errorf("toWorld through a parent: %v, %v", v, s.faults)
	}
	child.Prop.Expression = `thisComp.layer("ctrl").effect("Speed")("Slider") > 0 ? parent.fromWorld(toWorld(anchorPoint)) : value`
	ctrl.Prop.Expression, ctrl.Prop.ExpressionOn = `value + [10, 0]`, true
	if v := s.eval.Value(child, 0).(aep.Numbers); v[0] != 10 || v[1] != 20 || len(s.faults) > 0 {
		t.Errorf("through a parent that has an expression: %v, %v", v, s.faults)
	}
	slider := s.prop("ctrl", "ADBE Effect Parade", "Speed", "Slider")
	slider.Prop.Expression, slider.Prop.ExpressionOn = `effect("Speed")("Slider") + thisLayer.effect(1)(1).valueAtTime(1)`, true
	if v := s.eval.Number(slider, 0, 0); v != 50 || len(s.faults) > 0 {
		t.Errorf("a slider through its effect: %g, %v", v, s.faults)
	}
}

func TestTheOlderEngineGivesADeclarationAValue(t *testing.T) {
	for _, c := range []struct {
		engine, text string
		want         float64
		fails        bool
	}{
		{"extendscript", "var x = 30", 30, false},
		{"extendscript", "1; var x = 30, y = 40;", 40, false},
		{"extendscript", "var x = 30; x + 1", 31, false},
		{"extendscript", "if (time > 1) 10 else 20", 20, true},
		{"extendscript", "if (time > 1) 10; else 20", 20, false},
		{"javascript-1.0", "var x = 30", 0, true},
		{"javascript-1.0", "7; var x = 30", 7, false},
	} {
		s := newStage(t)
		s.project.ExpressionEngine = c.engine
		v, err := s.run("opacity", c.text, 0)
		if (err != nil) != c.fails || err == nil && v.(aep.Numbers)[0] != c.want {
			t.Errorf("%s: %q = %v, %v", c.engine, c.text, v, err)
		}
	}
}

func TestResultsAreConvertedAsTheLanguageDoes(t *testing.T) {
	for text, want := range map[string]aep.Numbers{
		`[[1],[2]]`:                           {1, 2, 0},
		`["3", "4.5"]`:                        {3, 4.5, 0},
		`[[position, 7], 8]`:                  {100, 8, 0},
		`[thisComp.layer(1).effect(1)(1), 2]`: {25, 2, 0},
	} {
		v, err := newStage(t).run("position", text, 2)
		if err != nil || fmt.Sprint(v) != fmt.Sprint(want) {
			t.Errorf("%s = %v, %v, want %v", text, v, err, want)
		}
	}
}

func TestStylesChangeOnlyWhatTheySay(t *testing.T) {
	s := newStage(t)
	v, err := s.run("text", `style.setFontSize(80, 1, 2).setFauxBold(true, 4)`, 0)
	if err != nil {
		t.Fatal(err)
	}
	doc := v.(*aep.TextDocument)
	var sizes, bold []int
	for _, r := range doc.Runs {
		for range r.Length {
			sizes = append(sizes, int(r.Style.Size))
			bold = append(bold, map[bool]int{true: 1}[r.Style.FauxBold])
		}
	}
	if doc.Text != "Hello" || fmt.Sprint(sizes) != "[40 80 80 40 40 40]" || fmt.Sprint(bold) != "[0 0 0 0 1 1]" {
		t.Errorf("%q: sizes %v, bold %v", doc.Text, sizes, bold)
	}
	s2 := newStage(t)
	title := s2.prop("title", "ADBE Text Properties", "ADBE Text Document")
	own := &aep.TextDocument{Text: "Mine", Runs: []aep.TextRun{{Length: 5, Style: aep.CharacterStyle{Font: "Thin", Size: 10}}}}
	title.Prop.Expression = `thisComp.layer("title").text.sourceText.style.setFontSize(33)`
	got, err := s2.machine.Evaluate(eval.Ref{Comp: s2.comp, Layer: s2.comp.Comp.Layers[1], Prop: &aep.Property{Match: "ADBE Text Document",
		Expression: title.Prop.Expression, ExpressionOn: true, Value: own}}, own, 0)
	if err != nil {
		t.Fatal(err)
	}
	if d := got.(*aep.TextDocument); d.Text != "Mine" || d.Style().Font != "Bold" || d.Style().Size != 33 {
		t.Errorf("the style of another text: %q in %s of %g", d.Text, d.Style().Font, d.Style().Size)
	}
}

// FuzzDataFootage reads files of data by all that expressions ask of them: what is wrong with one is an error of the expression that asked.
func FuzzDataFootage(f *testing.F) {
	f.Add([]byte(motionJSON))
	f.Add([]byte(`{"title":"From data","list":[3,[4,{"w":7}]]}`))
	f.Add([]byte("name\tage\nAda\t36\n\"Grace, H.\",85\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 5000 {
			return
		}
		s := newStage(t)
		s.machine.host.ReadData = func(*aep.Item) ([]byte, error) { return data, nil }
		for _, text := range []string{
			`footage("data.json").sourceData`, `footage("table.csv").sourceData[0].name`, `footage("data.json").dataValue([1])`,
			`footage("data.json").dataKeyCount([1])`, `footage("data.json").dataKeyTimes([1])`, `footage("data.json").dataKeyValues([1], 0, 9)`,
		} {
			if _, err := s.give("opacity", text, 1); err != nil && strings.Contains(err.Error(), "fault in the expression engine") {
				t.Errorf("%s of %q: %v", text, data, err)
			}
		}
	})
}
