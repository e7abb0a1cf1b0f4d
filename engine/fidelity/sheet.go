package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"overcrank/engine/encode"
	"overcrank/engine/raster"
)

// The sheet has two entries in a row, of three small pictures each.
const (
	thumbWidth, thumbHeight = 120, 90 // pixels
	gap                     = 8
	caption                 = 16
	entryWidth              = 3*thumbWidth + 3*gap
	entryHeight             = thumbHeight + caption + gap
	entriesAcross           = 2
	stronger                = 4
)

// writeSheet writes the sheet of small pictures. The file appears complete.
func writeSheet(path string, rows []*row) error {
	high := (len(rows) + entriesAcross - 1) / entriesAcross
	sheet := image.NewRGBA(image.Rect(0, 0, entriesAcross*entryWidth+gap, high*entryHeight+gap))
	draw.Draw(sheet, sheet.Rect, image.White, image.Point{}, draw.Src)
	for i, r := range rows {
		r.drawEntry(sheet, image.Pt(gap+i%entriesAcross*entryWidth, gap+i/entriesAcross*entryHeight))
	}
	return encode.WriteFile(path, func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, sheet)
	})
}

func (r *row) drawEntry(sheet *image.RGBA, at image.Point) {
	words := font.Drawer{Dst: sheet, Src: image.NewUniform(color.Gray{60}), Face: basicfont.Face7x13, Dot: fixed.P(at.X, at.Y+11)}
	words.DrawString(fmt.Sprintf("%.26s, %.20s: %.4f", r.comp, r.by, r.unlikest))
	at.Y += caption
	pictures := []*raster.Image{nil, nil, difference(r.ours, r.theirs)}
	if r.shown {
		pictures[0], pictures[1] = r.ours, r.theirs
	}
	for i, img := range pictures {
		if img != nil {
			place := fit(img.Rect.Size()).Add(at).Add(image.Pt(i*(thumbWidth+gap), 0))
			draw.CatmullRom.Scale(sheet, place, img, img.Rect, draw.Src, nil)
		}
	}
}

// fit is the largest rectangle of a shape within a small picture.
func fit(size image.Point) image.Rectangle {
	w, h := thumbWidth, thumbWidth*size.Y/size.X
	if h > thumbHeight {
		w, h = thumbHeight*size.X/size.Y, thumbHeight
	}
	return image.Rect(0, 0, max(w, 1), max(h, 1))
}

// difference shows where two pictures differ, in grey: black where they do not.
func difference(a, b *raster.Image) *raster.Image {
	out := image.NewRGBA(a.Rect)
	for i := 0; i < len(out.Pix); i += 4 {
		d := 0
		for c := range 3 {
			d = max(d, int(a.Pix[i+c])-int(b.Pix[i+c]), int(b.Pix[i+c])-int(a.Pix[i+c]))
		}
		v := uint8(min(255, stronger*d))
		out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = v, v, v, 255
	}
	return out
}
