package files

import (
	"bytes"
	"image/jpeg"

	"overcrank/farm"
)

// Bounds of the small pictures that agents send.
const (
	MaxThumbnail     = 256 << 10 // bytes
	maxThumbnailSide = 2048      // pixels
)

// CheckThumbnail makes sure that what browsers will be given is a small JPEG.
func CheckThumbnail(picture []byte) error {
	if len(picture) > MaxThumbnail {
		return farm.Errorf(farm.CodeTooLarge, "a thumbnail may take %d bytes, this one takes %d", MaxThumbnail, len(picture))
	}
	cfg, err := jpeg.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return farm.Errorf(farm.CodeInvalid, "the thumbnail is not a JPEG: %w", err)
	}
	if cfg.Width > maxThumbnailSide || cfg.Height > maxThumbnailSide {
		return farm.Errorf(farm.CodeTooLarge, "a thumbnail may be %d pixels wide and high, this one is %d by %d", maxThumbnailSide, cfg.Width, cfg.Height)
	}
	if _, err := jpeg.Decode(bytes.NewReader(picture)); err != nil {
		return farm.Errorf(farm.CodeInvalid, "the thumbnail is not a whole JPEG: %w", err)
	}
	return nil
}
