// Package vector is a picture made of outlines, which is drawn at any size: what readers of .svg, .pdf and .ai files make of them.
//
// The files are hostile. A Builder bounds what a picture may hold, and drawing it bounds the pixels that it touches.
package vector

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"overcrank/engine/geom"
	"overcrank/engine/raster"
)

// Picture is a picture made of outlines. It does not change once it was read, so many may draw it at once.
type Picture struct {
	Width, Height float64 // its natural size in pixels
	Root          Group   // in pixels at that size, from the top left
	Lacks         []string
	Fonts         []string // that its text asks for, and that are not in the file itself
	Inks          bool     // some of its colours are those of inks (CMYK), which are converted without a profile
}

// Node is a part of a picture.
type Node interface {
	// draw draws it, mapped by m.
	draw(p *painter, m geom.Matrix) error
}

// Group is nodes that share a place, a clip and a transparency.
type Group struct {
	Matrix   geom.Matrix
	Clips    []Clip // all of them count, in the space of its nodes
	Mask     *Mask
	Filter   *Filter
	Opacity  float64
	Blend    raster.Blend // nil for Normal
	Isolated bool         // its nodes mix only with each other
	Nodes    []Node

	box   geom.Rect // of its nodes, in their space
	boxed bool
}

// NewGroup is an opaque group, placed by m.
func NewGroup(m geom.Matrix) *Group { return &Group{Matrix: m, Opacity: 1} }

// Clip is where a group is seen: in any of its areas.
type Clip []Area

// Area is the inside of an outline.
type Area struct {
	Outline geom.Outline
	EvenOdd bool
}

// Mask is a picture whose brightness, or opacity, says how much of a group is seen.
type Mask struct {
	Content   Group
	Luminance bool // its brightness counts, and not its opacity alone
	Inverted  bool
}

// Shape is an outline in one colour, gradient or pattern.
type Shape struct {
	Outline geom.Outline
	Matrix  geom.Matrix
	EvenOdd bool
	Stroke  *raster.StrokeStyle // nil: filled; one without a width is a pixel wide
	Paint   Paint
	Blend   raster.Blend // nil for Normal
}

// Paint is a colour, red, green, blue and alpha from 0 to 1, or a gradient, or a pattern.
type Paint struct {
	Color    [4]float64
	Gradient *Gradient
	Pattern  *Pattern
}

// Fade makes a paint more transparent, by k from 0 to 1. Its gradient and its pattern are its own.
func (p *Paint) Fade(k float64) {
	p.Color[3] *= k
	if p.Gradient != nil {
		p.Gradient.Opacity *= k
	}
	if p.Pattern != nil {
		p.Pattern.Opacity *= k
	}
}

// Bitmap is a picture of pixels, which Matrix places.
type Bitmap struct {
	Image  *raster.Image
	Matrix geom.Matrix
	Blend  raster.Blend // nil for Normal
}

// The bounds of a picture.
const (
	MaxFile   = 64 << 20 // bytes, also of what is unpacked from it
	MaxDepth  = 64       // groups within groups
	maxNodes  = 200_000
	maxPoints = 4_000_000
	maxPixels = 64_000_000 // of all its bitmaps together
	maxLacks  = 20
	maxFonts  = 100
	maxSize   = 30_000 // pixels of a side
)

// ErrTooMuch is the error of a picture that holds more than can be drawn.
var ErrTooMuch = errors.New("it holds more than can be drawn")

// Builder counts what a reader puts into a picture, and refuses what exceeds its bounds.
type Builder struct {
	nodes, points, pixels int
	lacks, fonts          []string
}

// Lack notes, once, what of the file is not drawn, such as "filters".
func (b *Builder) Lack(what string) {
	what = strings.Map(func(r rune) rune { // names in it come from the file
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, what)
	if len(b.lacks) < maxLacks && !slices.Contains(b.lacks, what) {
		b.lacks = append(b.lacks, what)
	}
}

// Font notes, once, a font that text of the file asks for.
func (b *Builder) Font(name string) {
	if len(b.fonts) < maxFonts && !slices.Contains(b.fonts, name) {
		b.fonts = append(b.fonts, name)
	}
}

// Add adds a node to a group.
func (b *Builder) Add(to *Group, n Node) error {
	if b.nodes++; b.nodes > maxNodes {
		return fmt.Errorf("%w: more than %d parts", ErrTooMuch, maxNodes)
	}
	switch n := n.(type) {
	case *Group:
		n.box, n.boxed = n.bounds(), true
	case *Shape:
		if err := b.Count(n.Outline); err != nil {
			return err
		}
	case *Bitmap:
		if err := b.Reserve(n.Image.Rect.Dx(), n.Image.Rect.Dy()); err != nil {
			return err
		}
	}
	to.Nodes = append(to.Nodes, n)
	return nil
}

// bounds is a box around what the nodes of a group paint.
func (g *Group) bounds() (box geom.Rect) {
	for _, one := range g.Nodes {
		switch one := one.(type) {
		case *Group:
			box = box.Union(one.seen().Transform(one.Matrix))
		case *Shape:
			s := raster.Shape{Outline: one.Outline, Stroke: one.Stroke}
			box = box.Union(s.Bounds().Grow(0.01).Transform(one.Matrix)) // so that a line along an axis has one
		case *Bitmap:
			r := one.Image.Rect
			box = box.Union(geom.Rect{MaxX: float64(r.Dx()), MaxY: float64(r.Dy())}.Transform(one.Matrix))
		}
	}
	return box
}

// seen is a box around what a group shows, in the space of its nodes.
func (g *Group) seen() geom.Rect {
	if g.Filter != nil {
		return g.Filter.Region
	}
	return g.box
}

// Count counts the points of an outline.
func (b *Builder) Count(o geom.Outline) error {
	if b.points += len(o.Points); b.points > maxPoints {
		return fmt.Errorf("%w: its outlines have more than %d points", ErrTooMuch, maxPoints)
	}
	return nil
}

// Affords tells whether a bitmap of a size may still be added; it is asked before its pixels are decoded.
func (b *Builder) Affords(w, h int) error {
	if w <= 0 || h <= 0 || w > maxPixels/h || b.pixels+w*h > maxPixels {
		return fmt.Errorf("%w: a picture in it has %d x %d pixels", ErrTooMuch, w, h)
	}
	return nil
}

// Reserve counts the pixels of a bitmap.
func (b *Builder) Reserve(w, h int) error {
	if err := b.Affords(w, h); err != nil {
		return err
	}
	b.pixels += w * h
	return nil
}

// Picture is the finished picture of a size in pixels.
func (b *Builder) Picture(w, h float64, root *Group) (*Picture, error) {
	if !(w > 0 && h > 0) || w > maxSize || h > maxSize {
		return nil, fmt.Errorf("its size is %.4g x %.4g, which cannot be drawn", w, h)
	}
	return &Picture{Width: w, Height: h, Root: *root, Lacks: b.lacks, Fonts: b.fonts}, nil
}

// Pixels is the natural size in whole pixels.
func (p *Picture) Pixels() (w, h int) {
	const rounding = 1e-3
	return max(1, int(math.Ceil(p.Width-rounding))), max(1, int(math.Ceil(p.Height-rounding)))
}

// Cost is about how many bytes the picture takes while it is kept.
func (p *Picture) Cost() int64 { return 256 + p.Root.cost(map[*Group]bool{}) }

// cost counts groups that stand in several places once; known are those that were counted.
func (g *Group) cost(known map[*Group]bool) (n int64) {
	if known[g] {
		return 0
	}
	known[g] = true
	n = 200
	for _, c := range g.Clips {
		for i := range c {
			n += costOf(c[i].Outline)
		}
	}
	if g.Mask != nil {
		n += g.Mask.Content.cost(known)
	}
	for _, one := range g.Nodes {
		switch one := one.(type) {
		case *Group:
			n += one.cost(known)
		case *Shape:
			n += 300 + costOf(one.Outline) + one.Paint.cost(known)
		case *Bitmap:
			n += int64(len(one.Image.Pix))
		}
	}
	return n
}

func (p *Paint) cost(known map[*Group]bool) (n int64) {
	if p.Gradient != nil {
		n += 200 + 48*int64(len(p.Gradient.Stops))
	}
	if p.Pattern != nil {
		n += 200 + p.Pattern.Content.cost(known)
	}
	return n
}

func costOf(o geom.Outline) int64 { return int64(len(o.Verbs)) + 16*int64(len(o.Points)) }
