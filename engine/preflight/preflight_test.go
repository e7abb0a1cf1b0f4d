package preflight_test

import (
	"context"
	"errors"
	"io/fs"
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
	l := &aep.Layer{ID: 1, Name: "card", Source: 1, Out: 10, Stretch: 100, Blend: aep.BlendNormal, Enabled: true, EffectsEnabled: true,
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
	return preflight.Options{Fonts: fonts, Expressions: func(e *eval.Evaluator) eval.Expressions {
		return expression.New(expression.Host{Project: p, Eval: e, Fonts: fonts})
	}}
}

func TestEachFindingIsToldWithItsVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(p *aep.Project, l *aep.Layer)
		verdict preflight.Verdict
		finding preflight.Finding
	}{
		"nothing": {func(*aep.Project, *aep.Layer) {}, preflight.Exact, preflight.Finding{}},
		"an effect": {func(_ *aep.Project, l *aep.Layer) {
			l.Props.Children = append(l.Props.Children, group("ADBE Effect Parade", group("ADBE Unheard Of")))
		}, preflight.Not, preflight.Finding{Kind: preflight.Feature, What: "effect 'ADBE Unheard Of'"}},
		"motion blur": {func(_ *aep.Project, l *aep.Layer) {
			l.MotionBlur = true
			moving := number("ADBE Position", 0, 0)
			moving.Keys = []aep.Keyframe{
				{Time: 0, Value: aep.Numbers{0, 0}, In: aep.Linear, Out: aep.Linear}, {Time: 1, Value: aep.Numbers{9, 9}, In: aep.Linear, Out: aep.Linear},
			}
			l.Props.Children[0].Children = append(l.Props.Children[0].Children, moving)
		}, preflight.Nearly, preflight.Finding{Kind: preflight.Feature, What: "motion blur", Detail: true}},
		"a file": {func(p *aep.Project, _ *aep.Layer) {
			p.Items[0].Footage.Kind, p.Items[0].Footage.File.FullPath = aep.FootageFile, "/art/logo.png"
		}, preflight.Not, preflight.Finding{Kind: preflight.Footage, What: "logo.png"}},
		"an expression that fails late": {func(_ *aep.Project, l *aep.Layer) {
			opacity := number("ADBE Opacity", 100)
			opacity.Expression, opacity.ExpressionOn = "time > 9 ? noSuchThing : 50", true
			l.Props.Children[0].Children = append(l.Props.Children[0].Children, opacity)
		}, preflight.Not, preflight.Finding{Kind: preflight.Expression, What: "noSuchThing"}},
		"a font": {func(_ *aep.Project, l *aep.Layer) {
			l.Kind, l.Source = aep.LayerText, 0
			l.Props.Children = append(l.Props.Children, group("ADBE Text Properties", &aep.Property{Match: "ADBE Text Document", Enabled: true,
				Value: &aep.TextDocument{Text: "A", Runs: []aep.TextRun{{Length: 2, Style: aep.CharacterStyle{Font: "NobodyHasIt-Bold", Size: 10}}}}}))
		}, preflight.Nearly, preflight.Finding{Kind: preflight.Font, What: "NobodyHasIt-Bold", Detail: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, comp := project(test.change)
			got, err := preflight.Look(t.Context(), p, comp, options(t, p))
			if err != nil || got.Verdict != test.verdict {
				t.Fatalf("got %+v, %v", got, err)
			}
			if test.finding.What == "" {
				if len(got.Findings) != 0 {
					t.Errorf("found %+v", got.Findings)
				}
				return
			}
			if len(got.Findings) != 1 || got.Findings[0].Kind != test.finding.Kind || got.Findings[0].Detail != test.finding.Detail ||
				!strings.Contains(got.Findings[0].What, test.finding.What) || got.Findings[0].Layer != "card" || got.Findings[0].Composition != "main" {
				t.Errorf("found %+v, want %+v", got.Findings, test.finding)
			}
		})
	}
}

func TestALookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p, comp := project(func(*aep.Project, *aep.Layer) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := preflight.Look(ctx, p, comp, options(t, p)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestTheSamplesAreLookedAt(t *testing.T) {
	folder := aeptest.Samples(t)
	verdicts := map[preflight.Verdict]int{}
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
		opt := options(t, p)
		for _, it := range p.Items {
			if it.Comp == nil {
				continue
			}
			r, err := preflight.Look(t.Context(), p, it, opt)
			if err != nil {
				return err
			}
			verdicts[r.Verdict]++
		}
		return nil
	})
	if err != nil || verdicts[preflight.Exact] == 0 || verdicts[preflight.Not] == 0 {
		t.Errorf("verdicts %v, %v", verdicts, err)
	}
	t.Log(verdicts)
}
