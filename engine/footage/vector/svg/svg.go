// Package svg reads SVG pictures, as Illustrator, Inkscape and Figma write them.
//
// Nothing outside of a file is read, and no entity is expanded. What is not drawn is named by the picture's Lacks.
package svg

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
	"overcrank/engine/text"
)

// Is tells whether the beginning of a file is that of an SVG picture, also of a compressed one.
func Is(head []byte) bool {
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(head))
		if err != nil {
			return false
		}
		plain := make([]byte, 4096)
		n, _ := io.ReadFull(z, plain) // a part is enough
		return n > 0 && plainly(plain[:n])
	}
	return plainly(head)
}

// plainly tells whether text begins with the element svg, after what may stand before it.
func plainly(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && bytes.Contains(head, []byte("<svg"))
}

// Read reads a picture, whose text is set with fonts. Without fonts no text is drawn.
func Read(r io.Reader, fonts *text.Book) (*vector.Picture, error) {
	data, err := io.ReadAll(io.LimitReader(r, vector.MaxFile+1))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		if data, err = unpacked(data); err != nil {
			return nil, err
		}
	}
	if len(data) > vector.MaxFile {
		return nil, fmt.Errorf("%w: more than %d MB", vector.ErrTooMuch, vector.MaxFile>>20)
	}
	doc, err := parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return doc.picture(fonts)
}

func unpacked(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("it is broken: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, vector.MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("it is broken: %w", err)
	}
	return out, nil
}

// The size of a picture that says nothing about it, in pixels, as browsers have it.
const (
	defaultWidth  = 300
	defaultHeight = 150
)

// size is the natural size of the picture.
func (d *document) size() (w, h float64, err error) {
	box := numbers(d.root.attrs["viewBox"], 4)
	side := func(name string, i int, otherwise float64) float64 {
		v := d.root.attr(name)
		if !strings.HasSuffix(v, "%") {
			if n, ok := length(v, 0, 16); ok && n > 0 {
				return n
			}
		}
		if len(box) == 4 && box[2] > 0 && box[3] > 0 {
			return box[i]
		}
		return otherwise
	}
	w, h = side("width", 2, defaultWidth), side("height", 3, defaultHeight)
	if len(box) == 4 && box[2] > 0 && box[3] > 0 {
		switch hasW, hasH := absolute(d.root.attr("width")), absolute(d.root.attr("height")); {
		case hasW && !hasH:
			h = w * box[3] / box[2]
		case hasH && !hasW:
			w = h * box[2] / box[3]
		}
	}
	if !(w > 0 && h > 0) {
		return 0, 0, errors.New("it has no size")
	}
	return w, h, nil
}

// absolute tells whether a length is given that is no percentage.
func absolute(v string) bool {
	n, ok := length(v, 0, 16)
	return ok && n > 0 && !strings.HasSuffix(v, "%")
}

func (d *document) picture(fonts *text.Book) (*vector.Picture, error) {
	w, h, err := d.size()
	if err != nil {
		return nil, err
	}
	walk := walker{doc: d, out: &vector.Builder{}, fonts: fonts, sheet: &sheet{}, style: initial(), port: viewport{w, h}}
	walk.styleSheets(d.root)
	root := vector.NewGroup(geom.Identity)
	if err := walk.top(root, w, h); err != nil {
		return nil, err
	}
	if walk.sheet.unread {
		walk.out.Lack("selectors of style sheets that ask for more than one element")
	}
	return walk.out.Picture(w, h, root)
}
