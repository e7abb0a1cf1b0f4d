package agent

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"overcrank/farm"
)

func TestInstalledAfterEffectsAreFoundNewestFirst(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"Adobe After Effects 2025", "Adobe After Effects 2026", "Adobe After Effects 2026 (Beta)", "Adobe Photoshop 2026"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, folder, "aerender"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	probe := func(_ context.Context, path string) string {
		if filepath.Base(filepath.Dir(path)) == "Adobe After Effects 2025" {
			return "25.6"
		}
		return ""
	}
	got := findAfterEffects(t.Context(), []string{filepath.Join(root, "Adobe After Effects *", "aerender")}, probe)
	if len(got) != 3 || got[0].Version != "26.0" || got[2].Version != "25.6" {
		t.Fatalf("%+v", got)
	}
}

func TestVersionIsAskedOfTheProgramItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "aerender")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 'aerender version 25.6x101'\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := probeVersion(t.Context(), path); got != "25.6" {
		t.Errorf("got %q", got)
	}
	if got := probeVersion(t.Context(), path+"none"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestEngineIsChosenAsTheJobNeedsIt(t *testing.T) {
	embedded := farm.EngineInfo{Kind: farm.EngineEmbedded}
	ae26, ae25 := farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "26.0.2"}, farm.EngineInfo{Kind: farm.EngineAfterEffects, Version: "25.6"}
	studio, plain := farm.Inventory{Engines: []farm.EngineInfo{embedded, ae26, ae25}}, farm.Inventory{Engines: []farm.EngineInfo{embedded}}
	cases := []struct {
		inv     farm.Inventory
		wanted  string
		preview bool
		want    farm.EngineInfo
		ok      bool
	}{
		{studio, "", false, ae26, true}, {studio, "ae2025", false, ae25, true}, {studio, "", true, embedded, true},
		{plain, "", false, embedded, true}, {plain, "ae2026", false, farm.EngineInfo{}, false}, {studio, "ae2024", false, farm.EngineInfo{}, false},
	}
	for _, c := range cases {
		if got, ok := chooseEngine(c.inv, c.wanted, c.preview); got != c.want || ok != c.ok {
			t.Errorf("%q, preview %t: %+v", c.wanted, c.preview, got)
		}
	}
}

func TestFontsAreNamedFromTheirOwnTables(t *testing.T) {
	found := scanFonts(t.Context(), []string{"/usr/share/fonts", "/nowhere", "relative"})
	if len(found) == 0 {
		t.Skip("no fonts are installed here")
	}
	for i, f := range found {
		if f.PostScript == "" || f.Family == "" || i > 0 && found[i-1].PostScript >= f.PostScript {
			t.Fatalf("font %d of %d: %+v", i, len(found), f)
		}
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "x.ttf"), []byte("\x00\x01\x00\x00\xff\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := scanFonts(t.Context(), []string{broken}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
