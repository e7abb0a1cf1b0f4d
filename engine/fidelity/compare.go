package main

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"path/filepath"
	"slices"

	"overcrank/engine/likeness"
	"overcrank/engine/raster"
	"overcrank/engine/text"
)

// row is what one program drew of a composition, compared with ours.
type row struct {
	project, comp, by string
	pictures          int
	likest, unlikest  float64 // structural similarity
	sum               float64 // of the structural similarity of all pictures
	peak              float64 // decibels, the lowest
	lacks             []string
	// ours and theirs are the least alike pictures; theirs is for the sheet only where shown is set.
	ours, theirs *raster.Image
	shown        bool
}

func (r *row) mean() float64 { return r.sum / float64(r.pictures) }

// comparison is all that was compared, and how many oracles are no pictures.
type comparison struct {
	rows  []*row
	words int
}

func (c *comparison) pictures() (n int) {
	for _, r := range c.rows {
		n += r.pictures
	}
	return n
}

// compare draws what each oracle of a folder shows.
func compare(ctx context.Context, folder string) (*comparison, error) {
	oracles, err := likeness.Oracles(folder)
	if err != nil {
		return nil, err
	}
	fonts, err := text.OpenBook()
	if err != nil {
		return nil, err
	}
	out := &comparison{}
	for _, o := range oracles {
		switch o.Kind {
		case likeness.Words:
			out.words++
		case likeness.Picture:
			err = out.picture(ctx, folder, o, fonts)
		case likeness.Film:
			err = out.film(ctx, folder, o, fonts)
		}
		if err != nil {
			return nil, fmt.Errorf("composition %q of %s: %w", o.Composition, o.Project, err)
		}
	}
	return out, nil
}

func (c *comparison) picture(ctx context.Context, folder string, o likeness.Oracle, fonts *text.Book) error {
	theirs, err := likeness.Load(filepath.Join(folder, o.Path))
	if err != nil {
		return err
	}
	d, err := openProject(ctx, filepath.Join(folder, o.Project), o.Composition, fonts)
	if err != nil {
		return err
	}
	ours, err := d.frame(ctx, o.FrameOf(d.frames()), float64(theirs.Rect.Dx())/float64(d.comp.Comp.Width))
	if err != nil {
		return err
	}
	r := c.row(o)
	r.shown = true
	return r.add(onGrey(ours), onGrey(theirs), d.lacks)
}

// row is the row of an oracle.
func (c *comparison) row(o likeness.Oracle) *row {
	for _, r := range c.rows {
		if r.project == o.Project && r.comp == o.Composition && r.by == o.By {
			return r
		}
	}
	r := &row{project: o.Project, comp: o.Composition, by: o.By, unlikest: 2, peak: math.Inf(1)}
	c.rows = append(c.rows, r)
	return r
}

// add compares two pictures of a frame.
func (r *row) add(ours, theirs *raster.Image, lacks []string) error {
	if ours.Rect.Size() != theirs.Rect.Size() {
		return fmt.Errorf("a frame of %v was drawn, and the oracle has %v", ours.Rect.Size(), theirs.Rect.Size())
	}
	alike := likeness.Structural(ours, theirs, nil)
	r.pictures, r.sum = r.pictures+1, r.sum+alike
	r.likest, r.peak = max(r.likest, alike), min(r.peak, likeness.Peak(ours, theirs))
	if alike < r.unlikest {
		r.unlikest, r.ours, r.theirs = alike, ours, theirs
	}
	for _, l := range lacks {
		if !slices.Contains(r.lacks, l) {
			r.lacks = append(r.lacks, l)
		}
	}
	return nil
}

// onGrey lays a picture on grey, on which neither black nor white shapes are lost.
func onGrey(img *raster.Image) *raster.Image {
	out := image.NewRGBA(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	draw.Draw(out, out.Rect, image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, img.Rect.Min, draw.Over)
	return out
}
