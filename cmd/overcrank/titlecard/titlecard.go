// Package titlecard makes the project that the demo renders: a title card with words, a colour, a picture, moves and
// music, all made here, so that nothing from outside is needed.
package titlecard

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"

	"overcrank/aep"
)

// The names by which a job changes the card.
const (
	Composition   = "Title Card"
	Strip         = "Film Strip" // a composition within it, which needs no files
	TitleLayer    = "Title"
	SubtitleLayer = "Subtitle"
	AccentLayer   = "Accent"
	PictureLayer  = "Picture"
)

// Measures of the film.
const (
	Width, Height = 1280, 720 // pixels
	FrameRate     = 25
	Duration      = 6.0 // seconds
	Frames        = FrameRate * 6
)

const (
	pictureFile = "picture.png"
	musicFile   = "music.wav"
)

// WriteZip writes the title card as Collect does.
func WriteZip(w io.Writer) error { return Collect(w, Project(), Picture(Dusk)) }

// Collect writes the card's project, or one made of it, with its footage as After Effects' "Collect Files" lays them out.
func Collect(w io.Writer, card *aep.Project, drawn image.Image) error {
	var project, picture bytes.Buffer
	if err := aep.Write(&project, card); err != nil {
		return err
	}
	if err := png.Encode(&picture, drawn); err != nil {
		return fmt.Errorf("encode picture: %w", err)
	}
	z := zip.NewWriter(w)
	for _, f := range []struct {
		name   string
		body   []byte
		method uint16
	}{
		{"Title Card folder/Title Card.aep", project.Bytes(), zip.Deflate},
		{"Title Card folder/(Footage)/" + pictureFile, picture.Bytes(), zip.Store}, // packed already
		{"Title Card folder/(Footage)/" + musicFile, Music(), zip.Deflate},
	} {
		entry, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: f.method})
		if err != nil {
			return fmt.Errorf("zip %s: %w", f.name, err)
		}
		if _, err := entry.Write(f.body); err != nil {
			return fmt.Errorf("zip %s: %w", f.name, err)
		}
	}
	return z.Close()
}
