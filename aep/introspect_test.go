package aep_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/aep/aeptest"
)

func introspect(t *testing.T, data []byte, typ string) (*aep.Summary, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "upload")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return aep.Introspect(context.Background(), path, typ, t.TempDir(), aep.Limits{})
}

func TestRefusalsAreForPeople(t *testing.T) {
	project := seedProject(t)
	for name, c := range map[string]struct {
		data []byte
		typ  string
		says string
		is   error
	}{
		"cut project":      {project[:len(project)/2], "aep", "ends in the middle: upload it again", aep.ErrTruncated},
		"cut archive":      {makeZip(t, zipEntry{name: "a.aep", body: project})[:40], "zip", "ends in the middle: upload it again", aep.ErrTruncated},
		"no project":       {[]byte("\x89PNG"), "aep", "not an After Effects project", aep.ErrNotProject},
		"no archive":       {project, "zip", "not a zip archive", aep.ErrNotProject},
		"archive as aep":   {makeZip(t, zipEntry{name: "a.aep", body: project}), "aep", "upload it as a zip", aep.ErrNotProject},
		"zip as mogrt":     {makeZip(t, zipEntry{name: "a.aep", body: project}), "mogrt", "Upload it as a zip", aep.ErrNotProject},
		"empty archive":    {makeZip(t, zipEntry{name: "a.txt"}), "zip", "The zip holds no After Effects project", aep.ErrNoProject},
		"escaping archive": {makeZip(t, zipEntry{name: "../a.aep"}), "zip", `"../a.aep" leaves its folder`, aep.ErrUnsafe},
		"bomb":             {bomb(t, 1, 65<<20), "zip", `"0.aep" unpacks to more than 200 times`, aep.ErrLimit},
		"premiere":         {makeZip(t, zipEntry{name: "project.prgraphic"}), "mogrt", "made with Premiere Pro", aep.ErrPremiere},
	} {
		_, err := introspect(t, c.data, c.typ)
		var refusal *aep.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.says) || !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := introspect(t, project, "docx"); err == nil {
		t.Error("an unknown type was accepted")
	}
}

func TestSummaryOfATemplate(t *testing.T) {
	data, err := os.ReadFile(aeptest.Samples(t, "inlife+nexrender/packages/nexrender-action-mogrt/test/assets/ae.mogrt"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := introspect(t, data, "mogrt")
	if err != nil {
		t.Fatal(err)
	}
	if s.Version != "23.5.0" || len(s.Compositions) != 1 || !s.Compositions[0].Root || len(s.Warnings) != 0 {
		t.Errorf("summary %+v", s)
	}
	if len(s.Fonts) != 1 || s.Fonts[0].PostScript != "TV2SansDisplay-Bold" {
		t.Errorf("fonts %+v", s.Fonts)
	}
	if len(s.Footage) != 1 || s.Footage[0] != (aep.FootageSummary{Name: "square.jpg", Path: "square.jpg", Media: "image", Used: true, Present: true}) {
		t.Errorf("footage %+v", s.Footage)
	}
	if s.Mogrt == nil || s.Mogrt.Name != "Testo" || len(s.Mogrt.Fields) != 12 {
		t.Fatalf("panel %+v", s.Mogrt)
	}
	words := map[string]string{}
	for _, f := range s.Mogrt.Fields {
		words[f.Name] = f.Type
	}
	for name, word := range map[string]string{"Text": "text", "Dropdown": "dropdown", "Image": "media", "Slider Control": "slider", "Color Control": "color"} {
		if words[name] != word {
			t.Errorf("field %q is a %q, want %q", name, words[name], word)
		}
	}
	for _, l := range s.Compositions[0].Layers {
		if l.Name == "square.jpg" && (l.Left != 360 || l.Top != 360 || l.Width != 360 || l.Height != 360 || l.SourceType != "file" || l.Media != "image") {
			t.Errorf("layer %+v", l)
		}
		if l.Type == "text" && (l.Text != "foo!" || len(l.Fonts) != 1 || l.Expression) {
			t.Errorf("layer %+v", l)
		}
	}
}

func TestASummaryNamesWhatAPanelDrivesAndWhatLayersHold(t *testing.T) {
	data, err := os.ReadFile(aeptest.Samples(t, "inlife+nexrender/packages/nexrender-action-mogrt/test/assets/ae.mogrt"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := introspect(t, data, "mogrt")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]aep.EssentialSummary{}
	for _, f := range s.Compositions[0].Essential {
		fields[f.Name] = f
	}
	if f := fields["Slider Control"]; f.Min == nil || *f.Min != 0 || *f.Max != 100 || f.Value != 0.0 {
		t.Errorf("the slider is %+v", f)
	}
	if f := fields["Dropdown"]; len(f.Options) != 2 || f.Value != 1.0 {
		t.Errorf("the dropdown is %+v", f)
	}
	if f := fields["Text"]; !f.Words || f.Layer == 0 || f.Value != "foo!" {
		t.Errorf("the text is %+v", f)
	}
	if fields["Image"].Group != "Group Test" || fields["Image Position"].Group != "Group Test" || fields["Text"].Group != "" {
		t.Errorf("groups: %+v", fields)
	}
	if _, named := fields["Group Test"]; named {
		t.Error("a group is a field")
	}
	controls := map[string]aep.ControlSummary{}
	for _, l := range s.Compositions[0].Layers {
		for _, c := range l.Controls {
			controls[c.Name] = c
		}
	}
	if c := controls["Checkbox Control"]; c.Type != "checkbox" || c.Value != false || c.Property != "Effects->Checkbox Control->ADBE Checkbox Control-0001" {
		t.Errorf("the checkbox is %+v", c)
	}
}

func TestEverySampleIsSummarized(t *testing.T) {
	dir, files := sampleFiles(t, ".aep", ".aet", ".aepx")
	layers := 0
	for _, f := range files {
		s, err := aep.Introspect(context.Background(), filepath.Join(dir, f), "aep", t.TempDir(), aep.Limits{})
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if _, err := json.Marshal(s); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for _, c := range s.Compositions {
			for _, l := range c.Layers {
				layers++
				if l.Name == "" || l.Width < 0 || l.Height < 0 || math.IsInf(l.Left, 0) || l.Out < l.In {
					t.Errorf("%s: layer %+v", f, l)
				}
			}
		}
	}
	t.Logf("samples: %d files summarized, %d layers", len(files), layers)
}

func TestTextDrivenByAnExpressionIsMarked(t *testing.T) {
	s, err := aep.Introspect(context.Background(), aeptest.Samples(t, "inlife+nexrender-boilerplate/assets/nm05ae12.aet"), "aep", t.TempDir(), aep.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	driven := 0
	for _, l := range s.Compositions[0].Layers {
		if l.Expression {
			driven++
		}
	}
	if driven != 5 {
		t.Errorf("%d texts are driven by expressions, want 5", driven)
	}
}
