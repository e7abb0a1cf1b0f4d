// Package photoshop reads the pictures of Photoshop files (.psd, .psb): all layers together, or one of them. What it knows is what Adobe
// publishes as the Photoshop File Formats Specification. Files are untrusted: sizes are checked before memory is allocated.
package photoshop

import (
	"errors"
	"fmt"
	"image"
	"io"
)

// Errors for callers that have another way to read a picture.
var (
	// ErrForeign says that a file is no Photoshop file.
	ErrForeign = errors.New("it is no Photoshop file")
	// ErrKind says that a file has colours of a kind that is not read here: indexed, Lab, multichannel, bitmap.
	ErrKind = errors.New("files of this colour mode can't be read")
)

var errCut = errors.New("it is broken: it ends too early")

// Colour modes.
const (
	modeGray = 1
	modeRGB  = 3
	modeCMYK = 4
	modeDuo  = 8
)

// File is a Photoshop file whose pictures have not been read yet. One goroutine at a time uses it.
type File struct {
	Width, Height int // pixels
	// Layers are the layers from the bottom to the top, as the file has them: groups begin and end with layers of their own.
	Layers []Layer

	in       *io.SectionReader
	big      bool // .psb: longer lengths
	depth    int  // bits of a value
	mode     int
	channels int   // of the merged picture
	clear    bool  // the first channel after the colours is the merged picture's alpha
	drawn    bool  // the merged picture was written
	merged   int64 // where it begins
	most     int   // pixels of a picture
	read     int   // pixels of layers that have been read
	patterns []*cursor
}

// Layer is a layer of a file, or the beginning or end of a group.
type Layer struct {
	Name   string
	Bounds image.Rectangle // in the file's picture; it may lie outside of it
	Hidden bool
	Styled bool // it has layer styles
	Ranged bool // it blends only where its values or those below it lie in a range ("Blend If"), which is not drawn
	Filled bool // it is a colour, a gradient or a pattern, of which the file may hold no pixels

	blend    string
	opacity  uint8
	clipping bool // shown only where the layer below it is
	section  int
	pattern  string // the name of the one that its effects lay over it
	mask     mask
	channels []channel
}

// Kinds of sections.
const (
	sectionNone = iota
	sectionOpen
	sectionClosed
	sectionEnd // the end of a group, which comes before its layers
)

// mask is the mask of a layer.
type mask struct {
	bounds image.Rectangle
	around uint8 // its value outside of its bounds
	off    bool
}

// channel is where values of a layer are in the file.
type channel struct {
	id     int
	at     int64
	length int64
}

// Channels that are no colours.
const (
	channelAlpha = -1
	channelMask  = -2
)

// Limits of what a file may hold.
const (
	maxLayers   = 8000
	maxBlocks   = 10_000 // behind the layers
	maxChannels = 56
	maxSide     = 300000
)

// Open reads what a file holds, but no pictures. A picture of more than mostPixels pixels is refused.
func Open(r io.ReaderAt, size int64, mostPixels int) (*File, error) {
	f := &File{in: io.NewSectionReader(r, 0, size), most: mostPixels}
	c := &cursor{in: f.in, end: size}
	if err := f.header(c); err != nil {
		return nil, err
	}
	c.skip(int64(c.u32())) // colour table
	f.resources(c.part(int64(c.u32())))
	layers := c.part(c.length(f.big))
	f.merged = c.at
	if c.err != nil {
		return nil, c.err
	}
	f.layersAndMasks(layers)
	return f, layers.err
}

func (f *File) header(c *cursor) error {
	if c.word(4) != "8BPS" {
		return ErrForeign
	}
	version := c.u16()
	c.skip(6)
	f.channels = int(c.u16())
	height, width := c.u32(), c.u32()
	f.depth, f.mode, f.big, f.drawn = int(c.u16()), int(c.u16()), version == 2, true
	switch {
	case c.err != nil:
		return c.err
	case version != 1 && version != 2:
		return ErrForeign
	case width == 0 || height == 0 || width > maxSide || height > maxSide:
		return errors.New("it is broken: it has no size")
	case f.channels < 1 || f.channels > maxChannels:
		return errors.New("it is broken: it has an impossible number of channels")
	case int(width) > f.most/int(height):
		return fmt.Errorf("its picture is %d x %d pixels, more than can be drawn", width, height)
	}
	f.Width, f.Height = int(width), int(height)
	if f.colours() == 0 || f.depth != 8 && f.depth != 16 && f.depth != 32 {
		return ErrKind
	}
	return nil
}

// Inks tells whether its colours are those of inks (CMYK), which are converted without a profile.
func (f *File) Inks() bool { return f.mode == modeCMYK }

// colours is how many channels a colour has, 0 for modes that are not read.
func (f *File) colours() int {
	switch f.mode {
	case modeGray, modeDuo:
		return 1
	case modeRGB:
		return 3
	case modeCMYK:
		return 4
	}
	return 0
}

// resourceVersion is the resource that says whether the merged picture was written.
const resourceVersion = 1057

func (f *File) resources(c *cursor) {
	for c.left() >= 12 && c.err == nil {
		if c.word(4) != "8BIM" {
			return
		}
		id := c.u16()
		name := int64(c.u8())
		c.skip(name + 1 - name%2)
		size := int64(c.u32())
		data := c.part(size)
		c.skip(size % 2)
		if id == resourceVersion {
			data.skip(4)
			if drawn := data.u8(); data.err == nil {
				f.drawn = drawn != 0
			}
		}
	}
}

// layersAndMasks reads the layers: at the beginning of their section, or of files with 16 and 32 bits in a block of their own behind it.
func (f *File) layersAndMasks(c *cursor) {
	if c.left() == 0 {
		return
	}
	info := c.part(c.length(f.big))
	if info.left() > 0 {
		f.layers(info)
	}
	if c.left() < 4 || info.err != nil {
		c.err = info.err
		return
	}
	first := len(f.Layers) == 0
	c.skip(int64(c.u32())) // the mask of the whole picture
	for n := 0; n < maxBlocks && c.left() >= 12 && c.err == nil; n++ {
		block := f.block(c, 4)
		switch block.key {
		case "Lr16", "Lr32", "Layr":
			if first {
				if f.layers(block.data); block.data.err != nil {
					c.err = block.data.err
					return
				}
				first = false
			}
		case "Patt", "Pat2", "Pat3":
			f.patterns = append(f.patterns, block.data)
		}
	}
	c.err = nil // a block that ends too early is the last one
}

// block is a block of additional information.
type block struct {
	key  string
	data *cursor
}

// longBlocks have longer lengths in .psb files.
const longBlocks = "LMsk Lr16 Lr32 Layr Mt16 Mt32 Mtrn Alph FMsk lnk2 FEid FXid PxSD"

func (f *File) block(c *cursor, align int64) block {
	c.skip(4) // 8BIM or 8B64
	b := block{key: c.word(4)}
	size := c.length(f.big && contains(longBlocks, b.key))
	b.data = c.part(size)
	if rest := size % align; rest != 0 {
		c.skip(min(align-rest, c.left()))
	}
	return b
}
