package svg

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/draw"
	_ "image/gif"  // registers its decoder
	_ "image/jpeg" // registers its decoder
	_ "image/png"  // registers its decoder
	"net/url"
	"strings"

	"overcrank/engine/footage/vector"
	"overcrank/engine/geom"
)

// image adds a picture that the file holds itself.
func (w *walker) image(e *element, to *vector.Group, v map[string]string) error {
	href := e.attr("href")
	if href == "" || w.style.hidden {
		return nil
	}
	data, ok := embedded(href)
	if !ok {
		w.out.Lack("pictures of other files")
		return nil
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		w.out.Lack("an embedded picture that is neither PNG, JPEG nor GIF")
		return nil
	}
	if err := w.out.Affords(cfg.Width, cfg.Height); err != nil {
		return err
	}
	img, err := decoded(data)
	if err != nil {
		w.out.Lack("an embedded picture that is broken")
		return nil
	}
	natural := geom.Point{X: float64(img.Rect.Dx()), Y: float64(img.Rect.Dy())}
	x, _ := length(v["x"], w.port.w, w.style.fontSize)
	y, _ := length(v["y"], w.port.h, w.style.fontSize)
	width, okW := length(v["width"], w.port.w, w.style.fontSize)
	height, okH := length(v["height"], w.port.h, w.style.fontSize)
	switch {
	case !okW && !okH:
		width, height = natural.X, natural.Y
	case !okW:
		width = height * natural.X / natural.Y
	case !okH:
		height = width * natural.Y / natural.X
	}
	if !(width > 0 && height > 0) {
		return nil
	}
	m, slice := fitted(natural, e.attr("preserveAspectRatio"), width, height)
	frame := vector.NewGroup(geom.Translate(x, y))
	if slice {
		frame.Clips = []vector.Clip{{{Outline: rounded(0, 0, width, height, 0, 0)}}}
	}
	if err := w.out.Add(frame, &vector.Bitmap{Image: img, Matrix: m}); err != nil {
		return err
	}
	return w.out.Add(to, frame)
}

// fitted places a picture of a size into a rectangle, by preserveAspectRatio.
func fitted(natural geom.Point, preserve string, w, h float64) (geom.Matrix, bool) {
	words := strings.Fields(preserve)
	m, slice, _ := viewBoxOf([4]float64{0, 0, natural.X, natural.Y}, words, w, h)
	return m, slice
}

func decoded(data []byte) (out *image.RGBA, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("it is broken")
		}
	}()
	src, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	b := src.Bounds()
	out = image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, src, b.Min, draw.Src)
	return out, nil
}

// embedded is the content of a data: address; false for any other.
func embedded(href string) ([]byte, bool) {
	rest, ok := strings.CutPrefix(href, "data:")
	if !ok {
		return nil, false
	}
	kind, body, ok := strings.Cut(rest, ",")
	if !ok {
		return nil, false
	}
	if !strings.HasSuffix(strings.ToLower(strings.TrimSpace(kind)), ";base64") {
		plain, err := url.PathUnescape(body)
		return []byte(plain), err == nil
	}
	if strings.Contains(body, "%") {
		plain, err := url.PathUnescape(body)
		if err != nil {
			return nil, false
		}
		body = plain
	}
	body = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' || r == '=' {
			return -1
		}
		return r
	}, body)
	data, err := base64.RawStdEncoding.DecodeString(body)
	return data, err == nil
}
