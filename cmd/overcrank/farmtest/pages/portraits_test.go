//go:build linux

package pages_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/image/draw"

	"overcrank/durable"
)

// windows are those in which docs/pages.md shows each page.
var windows = []struct {
	width  int
	scheme string
}{{1440, "light"}, {1024, "dark"}, {390, "light"}}

const (
	windowHeight = 900
	windowGap    = 24
	shrunkBy     = 0.45 // three windows side by side are as wide as a page of documentation on a large screen
	quality      = 80
)

// picturesWanted is the folder for pictures of the documentation, "" when none are taken.
func picturesWanted() string { return os.Getenv("OVERCRANK_PICTURES") }

// portrait keeps one picture of the page that is open, in three windows side by side, when pictures are wanted.
func (b *browser) portrait(name string) {
	b.t.Helper()
	dir := picturesWanted()
	if dir == "" || name == "" {
		return
	}
	var shots []image.Image
	for _, window := range windows {
		b.scheme(window.scheme)
		b.size(int64(window.width), windowHeight)
		b.until(`[...document.images].every((i) => !i.checkVisibility() || i.getBoundingClientRect().top > innerHeight || i.complete)`)
		var shot []byte
		b.do(chromedp.Sleep(150*time.Millisecond), chromedp.CaptureScreenshot(&shot)) // pictures that were just put in are painted
		picture, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			b.t.Fatal(err)
		}
		shots = append(shots, picture)
	}
	b.scheme("light")
	b.size(1360, windowHeight)
	path := filepath.Join(dir, "pages", name+".jpg")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := durable.Write(path, 0o644, func(w io.Writer) error {
		return jpeg.Encode(w, sideBySide(shots), &jpeg.Options{Quality: quality})
	}); err != nil {
		b.t.Fatal(err)
	}
}

// sideBySide is one small picture of several of windows.
func sideBySide(shots []image.Image) image.Image {
	shrunk := func(pixels int) int { return int(float64(pixels) * shrunkBy) }
	width := -windowGap
	for _, shot := range shots {
		width += shot.Bounds().Dx() + windowGap
	}
	sheet := image.NewRGBA(image.Rect(0, 0, shrunk(width), shrunk(windowHeight)))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{Y: 0xb8}), image.Point{}, draw.Src)
	left := 0
	for _, shot := range shots {
		right := left + shot.Bounds().Dx()
		draw.CatmullRom.Scale(sheet, image.Rect(shrunk(left), 0, shrunk(right), shrunk(windowHeight)), shot, shot.Bounds(), draw.Src, nil)
		left = right + windowGap
	}
	return sheet
}
