package aep_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

// reopened reads what Rewrite wrote.
func reopened(t *testing.T, original []byte, change func(p *aep.Project)) (*aep.Project, []string) {
	t.Helper()
	p := parsed(t, original)
	change(p)
	aep.Complete(p)
	var out bytes.Buffer
	lost, err := aep.Rewrite(t.Context(), &out, original, p, aep.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, out.Bytes()), lost
}

func parsed(t *testing.T, data []byte) *aep.Project {
	t.Helper()
	p, err := aep.Read(t.Context(), bytes.NewReader(data), int64(len(data)), aep.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	aep.Complete(p)
	return p
}

func original(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := aep.Write(&file, written()); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestRewritingSamplesWithoutAChangeKeepsEveryByte(t *testing.T) {
	count := 0
	each(t, func(path string, data []byte) {
		p, err := aep.Read(context.Background(), bytes.NewReader(data), int64(len(data)), aep.Limits{})
		if err != nil {
			return
		}
		aep.Complete(p)
		var out bytes.Buffer
		lost, err := aep.Rewrite(t.Context(), &out, data, p, aep.Limits{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
		if len(lost) > 0 || !bytes.Equal(out.Bytes(), data) {
			t.Errorf("%s: %d bytes became %d; lost %q", path, len(data), out.Len(), lost)
		}
		count++
	})
	t.Logf("samples: %d", count)
}

// each visits the binary projects among the samples.
func each(t *testing.T, visit func(path string, data []byte)) {
	t.Helper()
	dir := aeptest.Samples(t)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".aep") && !strings.HasSuffix(path, ".aet") {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(data, []byte("RIFX")) {
			visit(strings.TrimPrefix(path, dir), data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRewritingSamplesCarriesChanges changes what jobs change, in every layer of every sample.
func TestRewritingSamplesCarriesChanges(t *testing.T) {
	count, changed := 0, 0
	each(t, func(path string, data []byte) {
		p, err := aep.Read(context.Background(), bytes.NewReader(data), int64(len(data)), aep.Limits{})
		if err != nil {
			return
		}
		aep.Complete(p)
		texts := 0
		for _, it := range p.Items {
			if it.Comp == nil {
				continue
			}
			for _, l := range it.Comp.Layers {
				if o := l.Props.Find("ADBE Transform Group", "ADBE Opacity"); o != nil && !o.Hidden {
					o.Keys, o.Value, o.Expression, o.ExpressionOn = nil, aep.Numbers{37}, "", false
				}
				changed += nudge(l.Props.Child("ADBE Effect Parade"))
				if s := l.Props.Find("ADBE Transform Group", "ADBE Rotate Z"); s != nil {
					s.Expression, s.ExpressionOn = "time * 2", true
				}
				if doc := l.Props.Find("ADBE Text Properties", "ADBE Text Document"); doc != nil {
					if d, ok := doc.Value.(*aep.TextDocument); ok && len(d.Runs) > 0 {
						changed := *d
						changed.Text, changed.Runs = "Ölwechsel\rzu zweit", d.Runs[:1:1]
						changed.Runs = []aep.TextRun{changed.Runs[0]}
						changed.Runs[0].Style.Font, changed.Runs[0].Style.Fill = "Inter-Bold", [4]float64{1, 0, 0.5, 1}
						doc.Keys, doc.Value, doc.Expression, doc.ExpressionOn = nil, &changed, "", false
						texts++
					}
				}
			}
		}
		var out bytes.Buffer
		lost, err := aep.Rewrite(t.Context(), &out, data, p, aep.Limits{})
		if err != nil || len(lost) > 0 {
			t.Errorf("%s: lost %q, %v", path, lost, err)
		}
		changed += texts
		count++
	})
	t.Logf("samples: %d, %d texts and parameters of effects", count, changed)
}

// nudge changes every parameter of numbers below a group and counts them.
func nudge(p *aep.Property) (count int) {
	if p == nil {
		return 0
	}
	if v, ok := p.Value.(aep.Numbers); ok && !p.Group && !p.Hidden && len(v) > 0 {
		moved := append(aep.Numbers(nil), v...)
		moved[0] += 0.25
		p.Keys, p.Value = nil, moved
		count++
	}
	for _, c := range p.Children {
		count += nudge(c)
	}
	return count
}

func TestRewritingCarriesWhatScriptsDo(t *testing.T) {
	fresh := &aep.Layer{ID: 90, Name: "sound", Kind: aep.LayerAV, Source: 91, Stretch: 100, Out: 4, Enabled: true, AudioEnabled: true, Blend: aep.BlendNormal,
		Props: &aep.Property{Match: "ADBE AV Layer", Group: true, Enabled: true}}
	got, lost := reopened(t, original(t), func(p *aep.Project) {
		comp := p.Items[0].Comp
		comp.Duration, comp.WorkAreaStart, comp.WorkAreaDuration = 2, 0, 2
		words, picture := comp.Layers[0], comp.Layers[2]
		words.Start, words.In, words.Out, words.Enabled, words.Name = 0.2, 0.4, 1.6, false, "title"
		comp.Layers = []*aep.Layer{fresh, picture, words} // "shapes" went
		p.Items[2].Footage.Color = [3]float64{0, 0.5, 1}
		p.Items[3].Footage = &aep.Footage{Kind: aep.FootageFile, Format: "png!", Width: 30, Height: 20, HasVideo: true, Still: true, PixelAspect: 1,
			File: aep.FileReference{FullPath: "/(Assets)/0/logo.png", Platform: "macos", AscendBase: 1, AscendTarget: 3}}
		p.Items = append(p.Items, &aep.Item{ID: 91, Name: "beat.wav", Kind: aep.ItemFootage, Parent: p.Items[1], Footage: &aep.Footage{
			Kind: aep.FootageFile, Format: "WAVE", Duration: 4, HasAudio: true,
			File: aep.FileReference{FullPath: "/(Assets)/1/beat.wav", Platform: "macos", AscendBase: 1, AscendTarget: 3}}})
		mask := picture.Props.Find("ADBE Mask Parade", "ADBE Mask Atom", "ADBE Mask Opacity")
		mask.Value = aep.Numbers{12}
	})
	if len(lost) > 0 {
		t.Errorf("lost %q", lost)
	}
	comp := got.Items[0].Comp
	if comp.Duration != 2 || comp.WorkAreaDuration != 2 || len(comp.Layers) != 3 {
		t.Fatalf("composition %+v", comp)
	}
	sound, picture, words := comp.Layers[0], comp.Layers[1], comp.Layers[2]
	if sound.Name != "sound" || sound.Source != 91 || picture.ID != 3 || words.Name != "title" || words.Enabled || words.In != 0.4 || words.Blend != aep.BlendScreen {
		t.Errorf("layers %+v %+v %+v", sound, picture, words)
	}
	if o := picture.Props.Find("ADBE Mask Parade", "ADBE Mask Atom", "ADBE Mask Opacity").Float(0); o != 12 {
		t.Errorf("the mask has an opacity of %g", o)
	}
	if it := got.Item(91); it == nil || it.Parent == nil || it.Parent.Name != "Footage" || !it.Footage.HasAudio {
		t.Errorf("new item %+v", it)
	}
	if f := got.Item(4).Footage; f.File.Base() != "logo.png" || f.Width != 30 || f.HasAudio {
		t.Errorf("replaced source %+v", f)
	}
	if c := got.Item(3).Footage.Color; c != [3]float64{0, 0.5, 1} {
		t.Errorf("the solid is %v", c)
	}
}

func TestRewritingNamesWhatItCannotCarry(t *testing.T) {
	_, lost := reopened(t, original(t), func(p *aep.Project) {
		l := p.Items[0].Comp.Layers[0]
		l.Markers = append(l.Markers, aep.Marker{Time: 1, Comment: "here"})
		effects := l.Props.Child("ADBE Effect Parade")
		effects.Children = append(effects.Children, &aep.Property{Match: "ADBE Fill", Name: "Fill", Group: true, Enabled: true})
	})
	want := []string{"the markers of layer 'words' in composition 'main' could not be changed", "'Fill' of layer 'words' in composition 'main' could not be added"}
	if !slices.Equal(lost, want) {
		t.Errorf("lost %q, want %q", lost, want)
	}
}

func TestRewritingRefusesProjectsInXML(t *testing.T) {
	if _, err := aep.Rewrite(t.Context(), &bytes.Buffer{}, []byte("<?xml version=\"1.0\"?>"), written(), aep.Limits{}); !errors.Is(err, aep.ErrNotProject) {
		t.Errorf("got %v", err)
	}
}
