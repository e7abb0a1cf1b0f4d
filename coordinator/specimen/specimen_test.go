package specimen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/coordinator/specimen"
)

// What this program is when it is started with one of these words.
const (
	draws   = "draw"
	crashes = "crash"
	babbles = "babble"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		switch os.Args[1] {
		case draws:
			if err := specimen.Main(context.Background(), os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case crashes:
			panic("as a hostile font may have it")
		case babbles:
			for range 1 << 16 {
				fmt.Println("words without end, which no picture begins with")
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func fontAt(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "font.ttf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFontIsDrawnInAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := specimen.Draw(t.Context(), []string{self, draws}, fontAt(t, goregular.TTF), 0)
	if err != nil || !bytes.HasPrefix(svg, []byte("<svg ")) {
		t.Fatalf("%.80q, %v", svg, err)
	}
	here, err := specimen.Draw(t.Context(), nil, fontAt(t, goregular.TTF), 0)
	if err != nil || !bytes.Equal(svg, here) {
		t.Errorf("drawn in this process it is another picture, %v", err)
	}
}

func TestWhatCannotBeDrawnIsTold(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		word string
		font []byte
	}{
		"no font":              {draws, []byte("a text")},
		"a truncated font":     {draws, goregular.TTF[:2000]},
		"one that crashes it":  {crashes, goregular.TTF},
		"an answer of rubbish": {babbles, goregular.TTF},
	} {
		if svg, err := specimen.Draw(t.Context(), []string{self, c.word}, fontAt(t, c.font), 0); !errors.Is(err, specimen.ErrNone) {
			t.Errorf("%s: %.40q, %v", name, svg, err)
		}
	}
	if _, err := specimen.Draw(t.Context(), []string{self, draws}, filepath.Join(t.TempDir(), "gone.ttf"), 0); err == nil || errors.Is(err, specimen.ErrNone) {
		t.Errorf("a file that is not there says that the font has no specimen: %v", err)
	}
}
