package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
)

func TestWithoutSamplesItSaysWhatIsMissing(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		if err := run(t.Context(), folder, t.TempDir()); err == nil || !strings.Contains(err.Error(), "make fidelity SAMPLES=DIR") {
			t.Errorf("folder %q: %v", folder, err)
		}
	}
}

// A few of the oracles give a page and a sheet with their figures.
func TestThePageHasWhatWasCompared(t *testing.T) {
	samples, docs := someSamples(t, "TwitterHeart-f29", "TwitterHeart-50.png", "Squares-f0"), t.TempDir()
	if err := os.Mkdir(filepath.Join(docs, "pictures"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), samples, docs); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(docs, "fidelity.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| TwitterHeart.aep | TwitterHeart | Skottie | 1 | 1.0000 | 1.0000 |", "| TwitterHeart.aep | TwitterHeart | lottie-ios MainThread engine | 1 | 1.0000 |",
		"| KeyPath.aep | Squares | Skottie | 1 | 1.0000 |"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	f, err := os.Open(filepath.Join(docs, "pictures", "fidelity.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sheet, err := png.Decode(f)
	if err != nil || sheet.Bounds().Dy() != 2*entryHeight+gap {
		t.Errorf("the sheet: %v, %v", sheet.Bounds(), err)
	}
}

// someSamples is a folder with those oracles of the samples whose path contains one of the words.
func someSamples(t *testing.T, words ...string) string {
	t.Helper()
	all, dir := aeptest.Samples(t), t.TempDir()
	list, err := os.ReadFile(filepath.Join(all, "ORACLES.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(list), "\n")
	kept := lines[:1:1]
	for _, line := range lines[1:] {
		for _, w := range words {
			if strings.Contains(line, w) {
				kept = append(kept, line)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "ORACLES.tsv"), []byte(strings.Join(kept, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := os.Symlink(filepath.Join(all, e.Name()), filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}
