package aerender

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
)

// TestRendersShareFrames renders the same, and the same but for its word, in three folders.
func TestRendersShareFrames(t *testing.T) {
	t.Setenv("OVERCRANK_FRAMES", filepath.Join(t.TempDir(), "frames"))
	t.Setenv("OVERCRANK_FRAMES_ROOM", "100000000")
	render := func(word string) (film []byte, reused string, warnings []string) {
		p := sample()
		title := p.Items[0].Comp.Layers[0]
		title.In, title.Out = 1, 1.5 // a quarter of the frames has it
		doc := title.Props.Children[0].Children[0].Value.(*aep.TextDocument)
		doc.Text, doc.Runs[0].Length, doc.Paragraphs[0].Length = word, len(word)+1, len(word)+1
		output := filepath.Join(t.TempDir(), "out.frames")
		code, out := start(t, t.Context(), "-project", lay(t, p), "-comp", "main", "-output", output)
		if code != 0 {
			t.Fatal(out)
		}
		film, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out) {
			switch {
			case strings.Contains(line, "Frames reused"):
				reused = strings.TrimSpace(line)
			case strings.HasPrefix(line, "WARNING"):
				warnings = append(warnings, line)
			}
		}
		return film, reused, warnings
	}
	const all int = rate * seconds
	first, reused, said := render("Hello")
	if reused != "" || len(said) == 0 {
		t.Fatalf("the first render: %q, %q", reused, said)
	}
	if _, reused, _ := render("Hello"); reused != "" {
		t.Errorf("frames were kept that were drawn once: %q", reused)
	}
	again, reused, warned := render("Hello")
	if want := fmt.Sprintf("PROGRESS:  Frames reused: %d", all); reused != want {
		t.Errorf("%q, want %q", reused, want)
	}
	if !bytes.Equal(again, first) || strings.Join(warned, "") != strings.Join(said, "") {
		t.Errorf("frames that were used again differ, or their warnings: %q, %q", warned, said)
	}
	if _, reused, _ = render("Other"); reused != fmt.Sprintf("PROGRESS:  Frames reused: %d", all*3/4) {
		t.Errorf("another word: %q", reused)
	}
	t.Setenv("OVERCRANK_FRAMES", "")
	if alone, reused, _ := render("Hello"); reused != "" || !bytes.Equal(alone, first) {
		t.Errorf("without the folder: %q", reused)
	}
}

// TestFilmsOfSharedFramesAreTheSame renders a film that keeps its frames, and again without them.
func TestFilmsOfSharedFramesAreTheSame(t *testing.T) {
	thumbs := t.TempDir()
	t.Setenv("OVERCRANK_THUMBS", thumbs)
	t.Setenv("OVERCRANK_FRAMES", filepath.Join(t.TempDir(), "frames"))
	t.Setenv("OVERCRANK_FRAMES_ROOM", "100000000")
	project := lay(t, sample())
	render := func() (film []byte, reused bool) {
		output := filepath.Join(t.TempDir(), "out.mp4")
		code, out := start(t, t.Context(), "-project", project, "-comp", "main", "-output", output)
		if code != 0 {
			t.Fatal(out)
		}
		film, err := os.ReadFile(output)
		if err != nil {
			t.Fatal(err)
		}
		return film, strings.Contains(out, fmt.Sprintf("Frames reused: %d", int(rate*seconds)))
	}
	first, _ := render()
	render()
	picture := func() []byte {
		b, err := os.ReadFile(filepath.Join(thumbs, "0.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	drawn := picture()
	again, reused := render()
	if !reused || !bytes.Equal(again, first) || !bytes.Equal(picture(), drawn) {
		t.Errorf("frames were used again: %v; the same film: %v", reused, bytes.Equal(again, first))
	}
	t.Setenv("OVERCRANK_FRAMES", "")
	if alone, reused := render(); reused || !bytes.Equal(alone, first) {
		t.Error("without the folder the film is another one")
	}
}
