package render_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"testing"

	"overcrank/aep"
	"overcrank/engine/footage"
	"overcrank/engine/render"
	"overcrank/engine/text/texttest"
)

// FuzzProject draws a frame of each small composition of files that were projects: whatever they hold, pixels or an error come of it.
func FuzzProject(f *testing.F) {
	for _, lay := range []func(b *builder, comp *aep.Item){
		func(b *builder, comp *aep.Item) {
			l := b.layer(comp, b.solid("red", 30, 20, rgb(red)), nil)
			masked(l, aep.MaskInfo{Mode: aep.MaskAdd}, square(1, 2, 12, 9), value("ADBE Mask Feather", 2, 3), value("ADBE Mask Offset", 1))
			l.Matte = aep.MatteAlpha
			move := value("ADBE Position", 3, 4, 0)
			linear(move, 0, 2, aep.Numbers{3, 4, 0}, aep.Numbers{9, 2, 0})
			transform(l, move)
			l.MotionBlur, comp.Comp.MotionBlur, comp.Comp.ShutterAngle = true, true, 180
		},
		func(b *builder, comp *aep.Item) {
			b.layer(comp, nil, func(l *aep.Layer) {
				l.Kind = aep.LayerShape
				l.Props.Children = append(l.Props.Children, group("ADBE Root Vectors Group",
					group("ADBE Vector Shape - Star", value("ADBE Vector Star Points", 5), value("ADBE Vector Star Outer Radius", 9)),
					group("ADBE Vector Filter - Repeater", value("ADBE Vector Repeater Copies", 3)),
					group("ADBE Vector Graphic - Stroke", value("ADBE Vector Stroke Width", 2))))
			})
		},
		func(b *builder, comp *aep.Item) {
			b.layer(comp, nil, func(l *aep.Layer) {
				l.Kind, l.ThreeD = aep.LayerText, true
				l.Props.Children = append(l.Props.Children, group("ADBE Text Properties", &aep.Property{Match: "ADBE Text Document", Enabled: true,
					Value: &aep.TextDocument{Text: "Hi", Runs: []aep.TextRun{{Length: 3, Style: aep.CharacterStyle{Font: "Go-Bold", Size: 12, HScale: 100, VScale: 100, ApplyFill: true}}}}}))
			})
			inner := b.comp("inner", 9, 9)
			b.layer(inner, b.solid("blue", 5, 5, rgb(red)), nil)
			b.layer(comp, inner, func(l *aep.Layer) { l.Collapse, l.Stretch, l.Blend = true, -50, aep.BlendScreen })
		},
	} {
		b := build(f)
		lay(b, b.comp("main", 32, 24))
		var file bytes.Buffer
		if err := aep.Write(&file, b.p); err != nil {
			f.Fatal(err)
		}
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := aep.Read(t.Context(), bytes.NewReader(data), int64(len(data)), aep.Limits{Chunks: 20_000, Depth: 100})
		if err != nil {
			return
		}
		aep.Complete(p)
		p = p.Instances()
		for _, it := range p.Items {
			if it.Comp == nil || it.Comp.Width > 256 || it.Comp.Height > 256 {
				continue
			}
			drawOne(t, p, it)
		}
	})
}

func drawOne(t *testing.T, p *aep.Project, comp *aep.Item) {
	t.Helper()
	r, err := render.New(p, comp, render.Options{Workers: 1, Fonts: texttest.Book(t), Footage: func(context.Context, *aep.Item) (*footage.Source, error) {
		return nil, errors.New("a file of a fuzzed project")
	}})
	if err != nil {
		return
	}
	err = r.Frames(t.Context(), 1, 1, 1, func(_ int, img *image.RGBA) error { return premultiplied(img) })
	if err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
