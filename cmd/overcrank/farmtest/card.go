//go:build linux

package farmtest

import (
	"bytes"
	"image"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"overcrank/cmd/overcrank/titlecard"
)

// Size of the small card, in pixels.
const (
	SmallWidth  = 160
	SmallHeight = 90
)

// Archives are made once for all tests of a package: to paint the picture and play the music takes seconds under the race detector.
var (
	smallCard = sync.OnceValues(func() ([]byte, error) {
		return archive(func(w io.Writer) error {
			project := titlecard.Project()
			for _, item := range project.Items {
				if item.Name == titlecard.Composition {
					item.Comp.Width, item.Comp.Height = SmallWidth, SmallHeight
				}
			}
			return titlecard.Collect(w, project, image.NewRGBA(image.Rect(0, 0, SmallWidth, SmallHeight)))
		})
	})
	titleCard = sync.OnceValues(func() ([]byte, error) { return archive(titlecard.WriteZip) })
)

func archive(write func(io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	err := write(&b)
	return b.Bytes(), err
}

// SmallCard is a file with a corner of the title card: the same compositions, layers and 150 frames with sound, of pictures that cost
// little to draw, for tests that look at what the farm does with a job and not at what the engine draws.
func SmallCard(t testing.TB) string {
	t.Helper()
	return cardFile(t, smallCard)
}

// TitleCard is a file with the whole title card, for tests that look at pictures. To render all of it takes a minute and a half under the
// race detector.
func TitleCard(t testing.TB) string {
	t.Helper()
	return cardFile(t, titleCard)
}

func cardFile(t testing.TB, content func() ([]byte, error)) (path string) {
	t.Helper()
	card, err := content()
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "card.zip")
	if err := os.WriteFile(path, card, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
