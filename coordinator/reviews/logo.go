package reviews

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // is read
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // is read

	"overcrank/farm"
)

const (
	// MostLogoSent bounds a picture that is to be a logo, in bytes.
	MostLogoSent = 2 << 20
	// mostLogoSide bounds it in pixels.
	mostLogoSide = 4096
	// logoWidth and logoHeight are what a logo is made to fit in, in pixels.
	logoWidth, logoHeight = 480, 160
)

// logo draws a picture from outside anew, as a PNG that is small and holds nothing else.
func logo(picture []byte) ([]byte, error) {
	if len(picture) > MostLogoSent {
		return nil, farm.Errorf(farm.CodeInvalid, "has more than %d MB", MostLogoSent>>20)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "is not a PNG, JPEG or WebP")
	}
	if config.Width < 1 || config.Height < 1 || config.Width > mostLogoSide || config.Height > mostLogoSide {
		return nil, farm.Errorf(farm.CodeInvalid, "has %d × %d pixels; each side may have %d", config.Width, config.Height, mostLogoSide)
	}
	full, _, err := image.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "is damaged")
	}
	for room := 1.0; ; room *= 0.7 {
		var out bytes.Buffer
		if err := png.Encode(&out, fit(full, room*logoWidth, room*logoHeight)); err != nil {
			return nil, fmt.Errorf("cannot be drawn: %w", err)
		}
		if out.Len() <= farm.MostLogo {
			return out.Bytes(), nil
		}
	}
}

// fit draws a picture as large as it may be within a width and a height, and no larger than it is.
func fit(full image.Image, width, height float64) image.Image {
	size := full.Bounds().Size()
	scale := min(1, width/float64(size.X), height/float64(size.Y))
	small := image.NewNRGBA(image.Rect(0, 0, max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))))
	draw.CatmullRom.Scale(small, small.Rect, full, full.Bounds(), draw.Src, nil)
	return small
}
