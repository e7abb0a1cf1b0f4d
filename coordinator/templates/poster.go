package templates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures in motion graphics templates
	_ "image/png"
	"io"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

const (
	maxPoster     = 1 << 20 // bytes
	maxPosterSide = 4096    // pixels
)

// Poster is a small PNG or JPEG of the template's first root composition, which its file brings or the embedded engine has drawn;
// CodeNotFound while there is none. What jobs rendered is never shown as the template: it may be for another client.
func (c *Catalog) Poster(ctx context.Context, p farm.Principal, id string) (*files.File, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if t.File == nil {
		return nil, noPoster(t)
	}
	r, err := c.files.Open(ctx, files.PosterKey(t.File.SHA256))
	if errors.Is(err, files.ErrNotFound) {
		c.painting.await(ctx, t)
		r, err = c.files.Open(ctx, files.PosterKey(t.File.SHA256))
	}
	if errors.Is(err, files.ErrNotFound) {
		return nil, noPoster(t)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the picture of template %s: %w", id, err)
	}
	_, kind, err := image.DecodeConfig(r)
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the picture of template %s: %w", id, err), r.Close())
	}
	return files.NewPicture(r, "poster."+kind), nil
}

func noPoster(t farm.Template) error {
	return farm.Errorf(farm.CodeNotFound, "template %q has no picture", t.DisplayName)
}

// keepPoster keeps a picture for a template's file, unless it has one.
func (c *Catalog) keepPoster(ctx context.Context, sha256 string, picture []byte) error {
	if _, err := c.files.Stat(ctx, files.PosterKey(sha256)); err == nil {
		return nil
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return fmt.Errorf("reading a template's picture: %w", err)
	}
	if cfg.Width > maxPosterSide || cfg.Height > maxPosterSide {
		return fmt.Errorf("a template's picture of %d by %d pixels is larger than %d by %d", cfg.Width, cfg.Height, maxPosterSide, maxPosterSide)
	}
	_, err = c.files.Put(ctx, files.PosterKey(sha256), bytes.NewReader(picture), files.Limits{Size: int64(len(picture)), Max: maxPoster})
	return err
}
