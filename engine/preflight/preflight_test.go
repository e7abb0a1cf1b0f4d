package preflight_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/engine/eval"
	"overcrank/engine/expression"
	"overcrank/engine/preflight"
	"overcrank/engine/text"
)

func group(match string, children ...*aep.Property) *aep.Property {
	return &aep.Property{Match: match, Name: match, Group: true, Enabled: true, Children: children}
}

func number(match string, v ...float64) *aep.Property {
	return &aep.Property{Match: match, Name: match, Enabled: true, Value: aep.Numbers(v), Dimensions: len(v)}
}

// project has a composition with one solid and what change adds to its layer.
func project(change func(p *aep.Project, l *aep.Layer)) (*aep.Project, *aep.Item) {
	solid := &aep.Item{ID: 1, Name: "white", Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageSolid, Width: 10, Height: 10, HasVideo: true, Still: true}}
	l := &aep.Layer{ID: 1, Name: "card", Source: 1, Out: 10, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, EffectsEnabled: true, Quality: 2,
		Props: group("layer", group("ADBE Transform Group"))}
	comp := &aep.Item{ID: 2, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
		Width: 10, Height: 10, PixelAspect: 1, FrameRate: 10, Duration: 10, Layers: []*aep.Layer{l}}}
	p := &aep.Project{Items: []*aep.Item{solid, comp}}
	change(p, l)
	aep.Complete(p)
	return p, comp
}

func options(t *testing.T, p *aep.Project) preflight.Options {
	t.Helper()
	fonts, err := text.OpenBook()
	if err != nil {
		t.Fatal(err)
	}
	return preflight.Options{HasFont: fonts.Has, Fonts: fonts, Expressions: func(e *eval.Evaluator) eval.Expressions {
		return expression.New(expression.Host{Project: p, Eval: e, Fonts: fonts})
	}}
}

func TestEachFindingIsToldWithItsVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(p *aep.Project, l *aep.Layer)
		verdict aep.Verdict
		finding aep.Finding
	}{
		"nothing": {func(*aep.Project, *aep.Layer) {}, aep.DrawsExactly, aep.Finding{}},
		"an effect": {func(_ *aep.Project, l *aep.Layer) {
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Unheard Of")))
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "effect 'ADBE Unheard Of'"}},
		"a file": {func(p *aep.Project, _ *aep.Layer) {
			p.Items[0].Footage.Kind, p.Items[0].Footage.File.FullPath = aep.FootageFile, "/art/logo.png"
		}, aep.DrawsNot, aep.Finding{Kind: aep.FootageFinding, What: "logo.png"}},
		"light of an EXR": {func(p *aep.Project, _ *aep.Layer) {
			p.BitsPerChannel = 32
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: "/art/sun.exr", Resolved: "/art/sun.exr"}
		}, aep.DrawsNearly, aep.Finding{Kind: aep.FeatureFinding, What: "what is brighter than white in 'sun.exr'", Detail: true}},
		"a colour profile that nobody knows": {func(p *aep.Project, _ *aep.Layer) {
			p.Color.WorkingSpace.Name = "sRGB IEC61966-2.1"
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: "/art/logo.png", Resolved: "/art/logo.png"}
			p.Items[0].Footage.Profile.Name = "A profile of nobody"
		}, aep.DrawsNearly, aep.Finding{Kind: aep.FeatureFinding, What: "the colour profile of 'logo.png'", Detail: true}},
		"styles merged into a file": {func(p *aep.Project, _ *aep.Layer) { styled(t, p) }, aep.DrawsNearly, aep.Finding{
			Kind: aep.FeatureFinding, What: "layer styles that are merged into the file 'art.psd'", Detail: true}},
		"styles beside a file": {func(p *aep.Project, l *aep.Layer) {
			styled(t, p)
			l.Props.Children = append(l.Props.Children, group("ADBE Layer Styles", group("solidFill/enabled")))
		}, aep.DrawsExactly, aep.Finding{}},
		"a pattern that the file lacks": {func(p *aep.Project, l *aep.Layer) {
			styled(t, p)
			l.Props.Children = append(l.Props.Children, group("ADBE Layer Styles", group("patternFill/enabled")))
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "layer style 'patternFill/enabled'"}},
		"a pattern of the file": {func(p *aep.Project, l *aep.Layer) {
			const path = "../footage/photoshop/testdata/patterned.psd"
			f := p.Items[0].Footage
			f.Kind, f.Layer, f.File = aep.FootageFile, "card", aep.FileReference{FullPath: path, Resolved: path}
			l.Props.Children = append(l.Props.Children, group("ADBE Layer Styles", group("patternFill/enabled")))
		}, aep.DrawsNearly, aep.Finding{Kind: aep.FeatureFinding, What: "the place where the pattern begins of layer style 'patternFill/enabled'", Detail: true}},
		"styles of an adjustment layer": {func(_ *aep.Project, l *aep.Layer) {
			l.Adjustment = true
			l.Props.Children = append(l.Props.Children, group("ADBE Layer Styles", group("solidFill/enabled")))
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "layer styles of an adjustment layer"}},
		"the fill of an adjustment layer": {func(_ *aep.Project, l *aep.Layer) {
			l.Adjustment = true
			l.Props.Children = append(l.Props.Children, group("ADBE Layer Styles",
				group("ADBE Blend Options Group", group("ADBE Adv Blend Group", number("ADBE Layer Fill Opacity2", 50)))))
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "layer styles of an adjustment layer"}},
		"colours of inks": {func(p *aep.Project, _ *aep.Layer) { inked(t, p, "") }, aep.DrawsNearly, aep.Finding{
			Kind: aep.FeatureFinding, What: "the exact colours of CMYK in the file 'art.psd'", Detail: true}},
		"colours of inks in a layer": {func(p *aep.Project, _ *aep.Layer) { inked(t, p, "ground") }, aep.DrawsNearly, aep.Finding{
			Kind: aep.FeatureFinding, What: "the exact colours of CMYK in the file 'art.psd'", Detail: true}},
		"colours of inks in a photo": {func(p *aep.Project, _ *aep.Layer) { photo(t, p, 4) }, aep.DrawsNearly, aep.Finding{
			Kind: aep.FeatureFinding, What: "the exact colours of CMYK in the file 'art.jpg'", Detail: true}},
		"colours of light in a photo": {func(p *aep.Project, _ *aep.Layer) { photo(t, p, 3) }, aep.DrawsExactly, aep.Finding{}},
		"a draft": {func(_ *aep.Project, l *aep.Layer) { l.Quality = 1 }, aep.DrawsNearly, aep.Finding{
			Kind: aep.FeatureFinding, What: "the draft quality that 'Current Settings' give a layer", Detail: true}},
		"a wireframe": {func(_ *aep.Project, l *aep.Layer) { l.Quality = 0 }, aep.DrawsNearly, aep.Finding{
			Kind: aep.FeatureFinding, What: "the wireframe that 'Current Settings' make of a layer", Detail: true}},
		"a file of outlines": {func(p *aep.Project, _ *aep.Layer) {
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: "/art/logo.AI", Resolved: "/art/logo.AI"}
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "the vector file 'logo.AI'"}},
		"a file of outlines that is drawn": {func(p *aep.Project, l *aep.Layer) {
			path := outlines(t, `<rect width="9" height="9"/>`)
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: path, Resolved: path}
			l.Collapse = true
		}, aep.DrawsExactly, aep.Finding{}},
		"a part of a file of outlines": {func(p *aep.Project, _ *aep.Layer) {
			path := outlines(t, `<filter id="f"><feTurbulence/></filter><rect width="9" height="9" filter="url(#f)"/>`)
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: path, Resolved: path}
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "filters with 'feTurbulence' in the vector file 'art.svg'"}},
		"a font of a file of outlines": {func(p *aep.Project, _ *aep.Layer) {
			path := outlines(t, `<text font-family="Nobody Has It">A</text><text font-family="Go, serif">A</text>`)
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: path, Resolved: path}
		}, aep.DrawsNearly, aep.Finding{Kind: aep.FontFinding, What: "Nobody Has It", Detail: true}},
		"a broken file of outlines": {func(p *aep.Project, _ *aep.Layer) {
			path := outlines(t, `<rect`)
			p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: path, Resolved: path}
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "the vector file 'art.svg' can't be read: it is broken"}},
		"an essential property of no field": {func(_ *aep.Project, l *aep.Layer) {
			l.Props.Children = append(l.Props.Children, group("ADBE Layer Overrides", number("ADBE Opacity", 3)))
		}, aep.DrawsNot, aep.Finding{Kind: aep.FeatureFinding, What: "a value of its own for an essential property"}},
		"an expression that fails late": {func(_ *aep.Project, l *aep.Layer) {
			opacity := number("ADBE Opacity", 100)
			opacity.Expression, opacity.ExpressionOn = "time > 9 ? noSuchThing : 50", true
			l.Props.Children[0].Children = append(l.Props.Children[0].Children, opacity)
		}, aep.DrawsNot, aep.Finding{Kind: aep.ExpressionFinding, What: "noSuchThing"}},
		"a font": {func(_ *aep.Project, l *aep.Layer) {
			l.Kind, l.Source = aep.LayerText, 0
			l.Props.Children = append(l.Props.Children, group("ADBE Text Properties", &aep.Property{Match: "ADBE Text Document", Enabled: true,
				Value: &aep.TextDocument{Text: "A", Runs: []aep.TextRun{{Length: 2, Style: aep.CharacterStyle{Font: "NobodyHasIt-Bold", Size: 10}}}}}))
		}, aep.DrawsNearly, aep.Finding{Kind: aep.FontFinding, What: "NobodyHasIt-Bold", Detail: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, comp := project(test.change)
			got, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
			if err != nil || got.Verdict != test.verdict {
				t.Fatalf("got %+v, %v", got, err)
			}
			if test.finding.What == "" {
				if len(got.Findings) != 0 {
					t.Errorf("found %+v", got.Findings)
				}
				return
			}
			got.Findings = slices.DeleteFunc(got.Findings, func(f aep.Finding) bool { return strings.HasSuffix(f.What, "bits per channel") })
			if len(got.Findings) != 1 || got.Findings[0].Kind != test.finding.Kind || got.Findings[0].Detail != test.finding.Detail ||
				!strings.Contains(got.Findings[0].What, test.finding.What) || got.Findings[0].Layer != "card" || got.Findings[0].Composition != "main" {
				t.Errorf("found %+v, want %+v", got.Findings, test.finding)
			}
		})
	}
}

// styled makes the source of a project a layer with styles, of a Photoshop file.
func styled(t *testing.T, p *aep.Project) {
	layered(t, p, "ground", []byte("8BIMluni"), []byte("8BIMlfx2"))
}

// inked makes the source of a project a Photoshop file of inks, or a layer of one.
func inked(t *testing.T, p *aep.Project, layer string) {
	const rgb, cmyk = "\x00\x08\x00\x03", "\x00\x08\x00\x04"
	layered(t, p, layer, []byte(rgb), []byte(cmyk))
}

// photo makes the source of a project a JPEG of which only the header is there; colours are how many a pixel has.
func photo(t *testing.T, p *aep.Project, colours int) {
	t.Helper()
	header := []byte{0xff, 0xd8, 0xff, 0xc0, 0, byte(8 + 3*colours), 8, 0, 9, 0, 9, byte(colours)}
	for i := range colours {
		header = append(header, byte(1+i), 0x11, 0)
	}
	path := filepath.Join(t.TempDir(), "art.jpg")
	if err := os.WriteFile(path, append(header, 0xff, 0xda, 0, 2), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Items[0].Footage.Kind, p.Items[0].Footage.File = aep.FootageFile, aep.FileReference{FullPath: path, Resolved: path}
}

// layered makes the source of a project a Photoshop file that differs in bytes from that of the tests.
func layered(t *testing.T, p *aep.Project, layer string, was, is []byte) {
	t.Helper()
	raw, err := os.ReadFile("../footage/photoshop/testdata/layered.psd")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "art.psd")
	if err := os.WriteFile(path, bytes.Replace(raw, was, is, 1), 0o600); err != nil {
		t.Fatal(err)
	}
	f := p.Items[0].Footage
	f.Kind, f.Layer, f.File = aep.FootageFile, layer, aep.FileReference{FullPath: path, Resolved: path}
}

// outlines is the path of an SVG picture.
func outlines(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "art.svg")
	if err := os.WriteFile(path, []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">`+content+`</svg>`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestALookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p, comp := project(func(*aep.Project, *aep.Layer) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := preflight.New(p, options(t, p)).Look(ctx, comp); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTheSamplesAreLookedAt(t *testing.T) {
	folder := aeptest.Samples(t)
	verdicts := map[aep.Verdict]int{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".aep", ".aepx", ".aet"}, strings.ToLower(filepath.Ext(path))) {
			return err
		}
		p, err := aep.Open(t.Context(), path, aep.DefaultLimits())
		if err != nil {
			return nil //nolint:nilerr // other tests know which of them can be opened
		}
		if err := aep.Resolve(t.Context(), p, filepath.Dir(path), aep.DefaultLimits()); err != nil {
			return err
		}
		aep.Complete(p)
		for _, c := range preflight.New(p, options(t, p)).All(t.Context()).Compositions {
			verdicts[c.Verdict]++
		}
		return nil
	})
	if err != nil || verdicts[aep.DrawsExactly] == 0 || verdicts[aep.DrawsNot] == 0 {
		t.Errorf("verdicts %v, %v", verdicts, err)
	}
	t.Log(verdicts)
}

// nested is a project whose composition shows count others, each with effects that are not drawn.
func nested(count, effects int) *aep.Project {
	p := &aep.Project{}
	outer := &aep.Item{ID: 1000, Name: "outer", Kind: aep.ItemComposition, Comp: &aep.Composition{Width: 10, Height: 10, PixelAspect: 1, FrameRate: 10, Duration: 10}}
	for i := range count {
		parade := group("ADBE Effect Parade")
		for j := range effects {
			parade.Children = append(parade.Children, group(fmt.Sprintf("ADBE Unheard Of %d", j)))
		}
		one, comp := project(func(_ *aep.Project, l *aep.Layer) { l.Props.Children = append(l.Props.Children, parade) })
		one.Items[0].ID, comp.ID, comp.Name = uint32(2*i+1), uint32(2*i+2), fmt.Sprint("inner ", i)
		comp.Comp.Layers[0].Source = one.Items[0].ID
		p.Items = append(p.Items, one.Items...)
		outer.Comp.Layers = append(outer.Comp.Layers, &aep.Layer{ID: uint32(i + 1), Source: comp.ID, Out: 10, Stretch: 100, Enabled: true, Quality: 2, Props: group("layer")})
	}
	p.Items = append(p.Items, outer)
	aep.Complete(p)
	return p
}

func TestWhatIsToldIsBounded(t *testing.T) {
	t.Parallel()
	p := nested(4, 3)
	got := preflight.New(p, preflight.Options{Each: 5, All: 7}).All(t.Context())
	if len(got.Compositions) != 5 || got.Stopped != "" {
		t.Fatalf("got %+v", got)
	}
	for i, c := range got.Compositions {
		told, more := 0, 3 // the rest is the composition's that shows all others
		switch i {
		case 0:
			told, more = 2, 1
		case 4:
			told, more = 5, 7
		}
		if len(c.Findings) != told || c.More != more || c.Verdict != aep.DrawsNot {
			t.Errorf("%s: %d findings and %d more, %s", c.Composition, len(c.Findings), c.More, c.Verdict)
		}
	}
}

func TestTextFromFilesIsBounded(t *testing.T) {
	t.Parallel()
	p, comp := project(func(_ *aep.Project, l *aep.Layer) {
		l.Name = strings.Repeat("ä", 1<<20)
		l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Unheard Of")))
	})
	got, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
	if err != nil || len(got.Findings) != 1 || got.Findings[0].Layer != strings.Repeat("ä", 200)+"…" {
		t.Errorf("got %.300v, %v", got, err)
	}
}

func TestEveryCompositionIsToldWhatTheOnesInItLack(t *testing.T) {
	t.Parallel()
	p := nested(1, 0)
	inner := p.Composition("inner 0")
	opacity := number("ADBE Opacity", 100)
	opacity.Expression, opacity.ExpressionOn = "noSuchThing", true
	transform := inner.Comp.Layers[0].Props.Child("ADBE Transform Group")
	transform.Children = append([]*aep.Property{opacity}, transform.Children...)
	got := preflight.New(p, options(t, p)).All(t.Context())
	for _, c := range got.Compositions {
		if len(c.Findings) != 1 || c.Findings[0].Kind != aep.ExpressionFinding || c.Findings[0].Composition != "inner 0" {
			t.Errorf("%s: %+v", c.Composition, c.Findings)
		}
	}
}

func TestAnExpressionThatFailsForAnotherCompositionIsToldOfBoth(t *testing.T) {
	t.Parallel()
	p := nested(2, 0)
	for name, expression := range map[string]string{"inner 0": "noSuchThing", "inner 1": `comp("inner 0").layer(1).transform.opacity`} {
		opacity := p.Composition(name).Comp.Layers[0].Props.Find("ADBE Transform Group", "ADBE Opacity")
		opacity.Expression, opacity.ExpressionOn = expression, true
	}
	// Looked at in this order, the failure is met first where another composition asks for it.
	first := preflight.New(p, options(t, p))
	for _, name := range []string{"inner 1", "inner 0"} {
		got, err := first.Look(t.Context(), p.Composition(name))
		if err != nil || len(got.Findings) == 0 || got.Findings[0].Composition != "inner 0" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestAPreflightThatIsStoppedSaysSo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := preflight.New(nested(1, 1), preflight.Options{}).All(ctx); got.Stopped != aep.StoppedByTime || len(got.Compositions) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestOnlySoManyCompositionsAreLookedAt(t *testing.T) {
	t.Parallel()
	p := &aep.Project{}
	for id := range uint32(2001) {
		p.Items = append(p.Items, &aep.Item{ID: id + 1, Name: "empty", Kind: aep.ItemComposition, Comp: &aep.Composition{PixelAspect: 1}})
	}
	got := preflight.New(p, preflight.Options{}).All(t.Context())
	if got.Stopped != aep.StoppedByNumber || len(got.Compositions) != 2000 || got.Of(2001) != nil {
		t.Errorf("%d compositions, %q", len(got.Compositions), got.Stopped)
	}
}

func TestPixelsAndColoursThatAreNotDrawnAreDetails(t *testing.T) {
	t.Parallel()
	p, comp := project(func(p *aep.Project, _ *aep.Layer) {
		p.BitsPerChannel, p.Color.WorkingSpace.Name = 32, "A space of nobody"
		p.Items[1].Comp.PixelAspect = 2
		p.Items[0].Footage.PixelAspect = 2
	})
	got, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
	if err != nil || got.Verdict != aep.DrawsNearly || len(got.Findings) != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWhatWasNotLookedAtIsCounted(t *testing.T) {
	t.Parallel()
	p, comp := project(func(p *aep.Project, l *aep.Layer) {
		for range 2001 { // each is tried at ten times
			opacity := number("ADBE Opacity", 100)
			opacity.Expression, opacity.ExpressionOn = "50", true
			l.Props.Children[0].Children = append(l.Props.Children[0].Children, opacity)
		}
		for i := range uint32(203) {
			path := fmt.Sprintf("/nowhere/%d.svg", i)
			p.Items = append(p.Items, &aep.Item{ID: 1000 + i, Kind: aep.ItemFootage, Footage: &aep.Footage{Kind: aep.FootageFile, Still: true, Width: 8, Height: 8, HasVideo: true,
				File: aep.FileReference{FullPath: path, Resolved: path}}})
			more := *l
			more.ID, more.Source, more.Props = 1000+i, 1000+i, group("layer")
			p.Items[1].Comp.Layers = append(p.Items[1].Comp.Layers, &more)
		}
	})
	got, err := preflight.New(p, options(t, p)).Look(t.Context(), comp)
	for _, want := range []string{"20000 of 20010 values of expressions were tried", "200 of 203 files were read"} {
		if err != nil || !slices.ContainsFunc(got.Findings, func(f aep.Finding) bool { return f.What == want && f.Detail && f.Words() == want }) {
			t.Errorf("it does not say that %s, %v", want, err)
		}
	}
}
