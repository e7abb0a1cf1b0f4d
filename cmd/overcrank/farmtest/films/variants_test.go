//go:build linux

package films_test

import (
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/durable"

	"overcrank/cmd/overcrank/titlecard"
)

// TestATableBecomesFilms takes a table as a spreadsheet saves it through a farm with a real agent to films on the disk.
func TestATableBecomesFilms(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	if _, err := f.RenameTemplate(t.Context(), f.Card(), "Card"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"night.png", "the same.png"} {
		err := durable.Write(filepath.Join(dir, name), 0o600, func(w io.Writer) error { return png.Encode(w, titlecard.Picture(titlecard.Night)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	table := "\ufeffHeadline;Picture;Accent:Effects.Nothing.Color;@output;@frames\r\n" +
		"\"Grüße; \"\"jetzt\"\"\";night.png;;spring/grüße;0-4\r\n" +
		"Second;the same.png;;;0-2\r\n" +
		"Third;;#ff0000;never;0-2\r\n"
	if err := os.WriteFile(filepath.Join(dir, "variants.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	films := filepath.Join(dir, "films")
	code, stdout, stderr := f.Command("batches", "submit", filepath.Join(dir, "variants.csv"), "--template", "Card", "--composition", titlecard.Composition,
		"--map", "Headline=Title", "--name", "a film", "--download", films)
	if code != exit.Failed || !strings.Contains(stdout, "2 of 3 done, 1 failed") || !strings.Contains(stderr, "line 4: ") {
		t.Fatalf("exit code %d, said\n%s\n%s", code, stdout, stderr)
	}
	for name, want := range map[string]int{"spring_grüße.mp4": 5, "a film.mp4": 3} {
		codec, width, _, frames, _ := farmtest.Probe(t, filepath.Join(films, name))
		if codec != "h264" || width != farmtest.SmallWidth || frames != want {
			t.Errorf("%s is %s, %d pixels wide, with %d frames, want %d", name, codec, width, frames, want)
		}
	}
	if entries, err := os.ReadDir(films); err != nil || len(entries) != 2 {
		t.Errorf("in the folder are %v (%v)", entries, err)
	}
	jobs, err := f.Jobs(t.Context(), map[string][]string{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if raw := string(jobs.JSON()); strings.Count(raw, "farm://") != 2 || strings.Count(raw, raw[strings.Index(raw, "farm://"):][:71]) != 2 {
		t.Errorf("the same picture was not handed over once:\n%s", raw)
	}
}
