package render_test

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/engine/geom"
	"overcrank/engine/raster"
	"overcrank/engine/render"
	"overcrank/engine/scene"
)

// shading draws a white solid of 100 by 100 pixels that fills the frame, and a caster of 30 by 20 pixels before it, in a light that casts shadows.
type shading struct {
	kind          int
	light, target geom.Vec
	lightMore     []*aep.Property
	at            geom.Vec // the caster
	turn          geom.Vec // degrees about x, y and z
	color         color.RGBA
	material      []*aep.Property // of the caster
	wall          []*aep.Property // the material of what fills the frame
	bits          int
}

func (s *shading) draw(t *testing.T) *raster.Image {
	t.Helper()
	b := build(t)
	b.p.BitsPerChannel = s.bits
	comp := b.comp("main", 100, 100)
	var target *aep.Property
	if s.target != (geom.Vec{}) {
		target = value("ADBE Anchor Point", s.target.X, s.target.Y, s.target.Z)
	}
	b.light(comp, s.kind, value("ADBE Position", s.light.X, s.light.Y, s.light.Z), target, append(s.lightMore, value("ADBE Casts Shadows", 1))...)
	caster := b.deep(comp, b.solid("caster", 30, 20, rgb(s.color)), s.at.X, s.at.Y, s.at.Z,
		value("ADBE Rotate X", s.turn.X), value("ADBE Rotate Y", s.turn.Y), value("ADBE Rotate Z", s.turn.Z))
	children(caster, group("ADBE Material Options Group", s.material...))
	wall := b.deep(comp, b.solid("wall", 100, 100, rgb(white)), 50, 50, 0)
	children(wall, matt(s.wall...))
	return oneFrame(t, b.renderer(comp, render.Options{}), 0)
}

// ray tells where the ray from a place of the wall to the light passes the caster's plane, in pixels about the caster's middle, and which share of the
// way from the wall to the light that is.
func (s *shading) ray(x, y float64) (at geom.Point, way float64) {
	place := geom.MoveBy(s.at).Mul(geom.TurnX(s.turn.X)).Mul(geom.TurnY(s.turn.Y)).Mul(geom.TurnZ(s.turn.Z))
	back, _ := place.Invert()
	p, l := geom.Vec{X: x, Y: y}, s.light
	if s.kind == scene.ParallelLight {
		d := s.light.Sub(s.target)
		l = geom.Vec{X: x + d.X, Y: y + d.Y, Z: d.Z}
	}
	from, to := back.Apply(p), back.Apply(l)
	way = from.Z / (from.Z - to.Z)
	return geom.Point{X: from.X + way*(to.X-from.X), Y: from.Y + way*(to.Y-from.Y)}, way
}

// dark tells whether a place of the wall lies in the shadow.
func (s *shading) dark(x, y float64) bool {
	at, way := s.ray(x, y)
	return way > 0 && (way < 1 || s.kind == scene.ParallelLight) && math.Abs(at.X) < 15 && math.Abs(at.Y) < 10
}

// lambert is the light of the wall without shadows.
func (s *shading) lambert(x, y float64) float64 {
	d := s.light.Sub(geom.Vec{X: x, Y: y})
	if s.kind == scene.ParallelLight {
		d = s.light.Sub(s.target)
	}
	return -d.Z / d.Len()
}

var onlyShadow = []*aep.Property{value("ADBE Casts Shadows", scene.Only)}

func TestAShadowIsWhereTheRayToTheLightMeetsTheCaster(t *testing.T) {
	for name, s := range map[string]shading{
		"point":            {kind: scene.PointLight, light: geom.Vec{X: 30, Y: 40, Z: -100}, at: geom.Vec{X: 50, Y: 50, Z: -40}},
		"point, tilted":    {kind: scene.PointLight, light: geom.Vec{X: 80, Y: 20, Z: -120}, at: geom.Vec{X: 55, Y: 45, Z: -30}, turn: geom.Vec{X: 20, Y: 15, Z: 20}},
		"parallel":         {kind: scene.ParallelLight, light: geom.Vec{X: 20, Y: 30, Z: -90}, target: geom.Vec{X: 50, Y: 50}, at: geom.Vec{X: 50, Y: 50, Z: -20}},
		"parallel, tilted": {kind: scene.ParallelLight, light: geom.Vec{X: 90, Y: 90, Z: -90}, target: geom.Vec{X: 50, Y: 50}, at: geom.Vec{X: 55, Y: 60, Z: -30}, turn: geom.Vec{Y: 30}},
		"32 bits":          {kind: scene.PointLight, light: geom.Vec{X: 30, Y: 40, Z: -100}, at: geom.Vec{X: 50, Y: 50, Z: -40}, turn: geom.Vec{X: 35}, bits: 32},
		"wholly behind":    {kind: scene.PointLight, light: geom.Vec{X: 30, Y: 40, Z: -100}, at: geom.Vec{X: 50, Y: 50, Z: 40}},
		"beyond the light": {kind: scene.PointLight, light: geom.Vec{X: 50, Y: 50, Z: -60}, at: geom.Vec{X: 50, Y: 50, Z: -90}},
		"through the wall": {kind: scene.PointLight, light: geom.Vec{X: 30, Y: 40, Z: -100}, at: geom.Vec{X: 50, Y: 50}, turn: geom.Vec{Y: 30}},
		"half as dark": {kind: scene.PointLight, light: geom.Vec{X: 30, Y: 40, Z: -100}, at: geom.Vec{X: 50, Y: 50, Z: -40},
			lightMore: []*aep.Property{value("ADBE Light Shadow Darkness", 40)}},
	} {
		s.color, s.material, s.bits = red, onlyShadow, max(s.bits, 8)
		kept := 0.0
		if len(s.lightMore) > 0 {
			kept = 0.6
		}
		img := s.draw(t)
		inside, outside := 0, 0
		for y := 2; y < 98; y++ {
			for x := 2; x < 98; x++ {
				px, py := float64(x)+0.5, float64(y)+0.5
				dark := s.dark(px, py)
				edge := false
				for n := range 25 {
					edge = edge || dark != s.dark(px+1.5*float64(n%5-2), py+1.5*float64(n/5-2))
				}
				if edge {
					continue
				}
				want := s.lambert(px, py)
				if outside++; dark {
					want *= kept
					inside, outside = inside+1, outside-1
				}
				if got := float64(img.RGBAAt(x, y).R); math.Abs(got-255*want) > 3 {
					t.Fatalf("%s: at %d, %d is %v, want %v", name, x, y, got, 255*want)
				}
			}
		}
		if none := name == "wholly behind" || name == "beyond the light"; outside < 1000 || none != (inside == 0) || !none && inside < 100 {
			t.Errorf("%s: %d pixels in the shadow, %d outside", name, inside, outside)
		}
	}
}

// A light as large as its diffusion is seen from the wall through the caster: at the shadow's edge half of it, further in none.
func TestADiffuseShadowIsAsSoftAsTheCasterIsFar(t *testing.T) {
	for _, z := range []float64{-20, -50} {
		s := shading{kind: scene.PointLight, light: geom.Vec{X: 50, Y: 50, Z: -100}, at: geom.Vec{X: 35, Y: 50, Z: z}, color: red, material: onlyShadow,
			lightMore: []*aep.Property{value("ADBE Light Shadow Diffusion", 10)}}
		img := s.draw(t)
		// The caster's right edge is at x = 50, straight under the light, and so is that of its shadow.
		share := -z / 100 // of the way from the wall to the light
		half := 10 * share / (1 - share)
		for x := 35; x < 65; x++ {
			off := float64(x) + 0.5 - 50
			want := max(0, min(1, 0.5+off/(2*half))) * s.lambert(float64(x)+0.5, 50.5)
			if got := float64(img.RGBAAt(x, 50).R); math.Abs(got-255*want) > 12 {
				t.Errorf("with the caster at %v, at %d is %v, want %v", z, x, got, 255*want)
			}
		}
	}
}

func TestLightShinesThroughACasterInItsColor(t *testing.T) {
	s := shading{kind: scene.PointLight, light: geom.Vec{X: 50, Y: 50, Z: -100}, at: geom.Vec{X: 50, Y: 50, Z: -40}, color: red,
		material: append([]*aep.Property{value("ADBE Light Transmission", 80)}, onlyShadow...)}
	img := s.draw(t)
	k := s.lambert(50.5, 50.5)
	check(t, img, spot{50, 50, color.RGBA{uint8(255*0.8*k + 0.5), 0, 0, 255}}, spot{5, 5, grey(s.lambert(5.5, 5.5))})
}

func TestLayersTakeShadowsAsTheirMaterialsSay(t *testing.T) {
	plain := shading{kind: scene.PointLight, light: geom.Vec{X: 20, Y: 50, Z: -100}, at: geom.Vec{X: 30, Y: 50, Z: -40}, color: red}
	under := spot{50, 50, color.RGBA{}}
	at, way := plain.ray(50.5, 50.5)
	if way < 0 || way > 1 || math.Abs(at.X) > 13 || math.Abs(at.Y) > 8 {
		t.Fatalf("the test shows nothing: %v", at)
	}
	k := grey(plain.lambert(50.5, 50.5))
	for name, c := range map[string]struct {
		material, wall []*aep.Property
		want           color.RGBA
		seen           bool // the caster itself
	}{
		"on":            {[]*aep.Property{value("ADBE Casts Shadows", 1)}, nil, black, true},
		"only":          {onlyShadow, nil, black, false},
		"off":           {nil, nil, k, true},
		"not accepted":  {onlyShadow, []*aep.Property{value("ADBE Accepts Shadows", 0)}, k, false},
		"without light": {onlyShadow, []*aep.Property{value("ADBE Accepts Lights", 0)}, black, false},
		"alone":         {onlyShadow, []*aep.Property{value("ADBE Accepts Shadows", scene.Only)}, black, false},
		"half opaque":   {append([]*aep.Property{value("ADBE Light Transmission", 50)}, onlyShadow...), []*aep.Property{value("ADBE Accepts Lights", 0)}, color.RGBA{128, 0, 0, 255}, false},
	} {
		s := plain
		s.material, s.wall = c.material, c.wall
		img := s.draw(t)
		t.Log(name)
		under.want = c.want
		check(t, img, under)
		if got := img.RGBAAt(24, 50); name != "half opaque" && (got.R > 0 && got.G == 0) != c.seen {
			t.Errorf("where the caster is there is %v", got)
		}
		far := grey(s.lambert(90.5, 10.5))
		switch name {
		case "without light", "half opaque":
			far = white
		case "alone":
			far = clear
		}
		check(t, img, spot{90, 10, far})
	}
}

func TestShadowsThatAreNotDrawnAsInAfterEffectsAreSaid(t *testing.T) {
	b := build(t)
	comp := b.comp("main", 40, 40)
	b.light(comp, scene.PointLight, value("ADBE Position", 20, 20, -50), nil, value("ADBE Casts Shadows", 1), value("ADBE Light Shadow Diffusion", 5))
	b.layer(comp, b.solid("matte", 40, 40, rgb(white)), func(l *aep.Layer) { l.Enabled = false })
	caster := b.deep(comp, b.solid("caster", 10, 10, rgb(red)), 20, 20, -10)
	caster.Matte = aep.MatteAlpha
	children(caster, group("ADBE Material Options Group", value("ADBE Casts Shadows", 1)))
	b.deep(comp, b.solid("wall", 40, 40, rgb(white)), 20, 20, 0)
	said := strings.Join(b.said(comp), "\n")
	for _, want := range []string{"softness of the shadows of a light", "the track matte of a layer in its shadow"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said: %s", want, said)
		}
	}
}
