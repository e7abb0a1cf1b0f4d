package render_test

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/footage"
	"overcrank/engine/render"
)

// builder makes a project in memory.
type builder struct {
	t testing.TB
	p *aep.Project
}

func build(t testing.TB) *builder { return &builder{t: t, p: &aep.Project{}} }

func (b *builder) item(name string, it aep.Item) *aep.Item {
	it.ID, it.Name = uint32(len(b.p.Items)+1), name
	b.p.Items = append(b.p.Items, &it)
	return &it
}

// comp is a composition of 10 s at 10 frames/s.
func (b *builder) comp(name string, w, h int) *aep.Item {
	return b.item(name, aep.Item{Kind: aep.ItemComposition, Comp: &aep.Composition{
		Width: w, Height: h, PixelAspect: 1, FrameRate: 10, Duration: 10,
	}})
}

func (b *builder) solid(name string, w, h int, c [3]float64) *aep.Item {
	return b.item(name, aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageSolid, Width: w, Height: h, Color: c, HasVideo: true, Still: true,
	}})
}

// picture is a footage item of an image file.
func (b *builder) picture(name string, img image.Image) *aep.Item {
	path := filepath.Join(b.t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		b.t.Fatal(err)
	}
	return b.item(name, aep.Item{Kind: aep.ItemFootage, Footage: &aep.Footage{
		Kind: aep.FootageFile, Width: img.Bounds().Dx(), Height: img.Bounds().Dy(), HasVideo: true, Still: true,
		File: aep.FileReference{Resolved: path},
	}})
}

// layer puts a layer of source, nil for none, below those that comp has.
func (b *builder) layer(comp, source *aep.Item, change func(l *aep.Layer)) *aep.Layer {
	l := &aep.Layer{
		ID: uint32(len(comp.Comp.Layers) + 1), Out: comp.Comp.Duration, Stretch: 100, Blend: aep.BlendNormal,
		Enabled: true, AudioEnabled: true, EffectsEnabled: true, Quality: 2,
		Props: group("layer", group("ADBE Transform Group")),
	}
	if source != nil {
		l.Source = source.ID
	}
	if change != nil {
		change(l)
	}
	comp.Comp.Layers = append(comp.Comp.Layers, l)
	return l
}

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Group: true, Enabled: true, Children: children}
}

func value(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

// transform sets a property of the layer's transform.
func transform(l *aep.Layer, p *aep.Property) {
	g := l.Props.Child("ADBE Transform Group")
	g.Children = append(g.Children, p)
}

// linear gives p two linear keys.
func linear(p *aep.Property, t0, t1 float64, v0, v1 aep.Numbers) *aep.Property {
	p.Keys = []aep.Keyframe{
		{Time: t0, Value: v0, In: aep.Linear, Out: aep.Linear}, {Time: t1, Value: v1, In: aep.Linear, Out: aep.Linear},
	}
	p.Value = v0
	return p
}

func square(x0, y0, x1, y1 float64) *aep.Path {
	return &aep.Path{Closed: true, Vertices: []aep.Vertex{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}}
}

// masked gives the layer a mask.
func masked(l *aep.Layer, info aep.MaskInfo, path *aep.Path, more ...*aep.Property) {
	parade := l.Props.Child("ADBE Mask Parade")
	if parade == nil {
		parade = group("ADBE Mask Parade")
		l.Props.Children = append(l.Props.Children, parade)
	}
	m := group("ADBE Mask Atom", append(more, &aep.Property{Match: "ADBE Mask Shape", Value: path})...)
	m.Mask = &info
	parade.Children = append(parade.Children, m)
}

func openFile(ctx context.Context, it *aep.Item) (*footage.Source, error) {
	return footage.Open(ctx, it.Footage.File.Resolved)
}

func (b *builder) renderer(comp *aep.Item, opt render.Options) *render.Renderer {
	b.t.Helper()
	if opt.Footage == nil {
		opt.Footage = openFile
	}
	r, err := render.New(b.p, comp, opt)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		if err := r.Close(); err != nil {
			b.t.Error(err)
		}
	})
	return r
}

// sounds lists the sounds that r hears.
func (b *builder) sounds(r *render.Renderer) []audio.Clip {
	b.t.Helper()
	clips, err := r.Audio(context.Background())
	if err != nil {
		b.t.Error(err)
	}
	return clips
}

// quarters is a picture with a colour in each quarter: red, green, blue, white.
func quarters(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 0, 0, 255}
			switch {
			case x >= w/2 && y >= h/2:
				c = color.NRGBA{255, 255, 255, 255}
			case y >= h/2:
				c = color.NRGBA{0, 0, 255, 255}
			case x >= w/2:
				c = color.NRGBA{0, 255, 0, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}
