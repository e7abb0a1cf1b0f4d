package likeness

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/draw"
	_ "image/png" // registers its decoder
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"overcrank/engine/raster"
)

// Oracle is what another program says of a composition: a picture of a frame, a film, or something that is no picture.
type Oracle struct {
	Project     string // the path of the project, below the folder of the oracles
	Composition string
	Kind        Kind
	By          string // the program that drew it
	// Frame is the number of a picture's frame. A picture whose frame is only known as a share of the duration has Share instead, from 0 to
	// 1, and a Frame below 0.
	Frame int
	Share float64
	Path  string // the file, below the folder of the oracles
}

// Kind is a kind of oracle.
type Kind int

// The kinds of oracles.
const (
	Words   Kind = iota // values or a twin of the project, no pictures
	Picture             // a picture of one frame
	Film                // After Effects' own film
)

var (
	atFrame = regexp.MustCompile(`^png comp-frame (\d+) .* (\S+)$`)
	atShare = regexp.MustCompile(`^png at (\d+)% progress, (.*)$`)
)

// Oracles reads the list ORACLES.tsv of a folder of samples.
func Oracles(folder string) ([]Oracle, error) {
	path := filepath.Join(folder, "ORACLES.tsv")
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the folder %s has no list of oracles: %w", folder, err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	var out []Oracle
	for i, row := range rows {
		if len(row) < 4 {
			return nil, fmt.Errorf("line %d of %s has %d columns, not four", i+1, path, len(row))
		}
		if i > 0 { // below the titles
			out = append(out, oracleOf(row))
		}
	}
	return out, nil
}

func oracleOf(row []string) Oracle {
	o := Oracle{Project: row[0], Composition: row[1], Path: row[3], By: row[2]}
	if m := atFrame.FindStringSubmatch(row[2]); m != nil {
		o.Kind, o.By = Picture, m[2]
		o.Frame, _ = strconv.Atoi(m[1])
	} else if m := atShare.FindStringSubmatch(row[2]); m != nil {
		percent, _ := strconv.Atoi(m[1])
		o.Kind, o.By, o.Frame, o.Share = Picture, m[2], -1, float64(percent)/100
	} else if strings.HasPrefix(row[2], "real AE render") {
		o.Kind, o.By = Film, "After Effects"
	}
	return o
}

// FrameOf is the frame that a picture shows of a composition with so many frames.
func (o Oracle) FrameOf(frames int) int {
	if o.Frame >= 0 {
		return o.Frame
	}
	return max(0, min(int(o.Share*float64(frames)), frames-1))
}

// Load reads the picture in a file.
func Load(path string) (*raster.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading the picture %s: %w", path, err)
	}
	return img, nil
}

// Read reads a picture.
func Read(r io.Reader) (*raster.Image, error) {
	img, _, err := image.Decode(r)
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out, nil
}
