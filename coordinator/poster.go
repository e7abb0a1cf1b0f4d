package coordinator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of rendered frames
	_ "image/png"  // pictures in motion graphics templates
	"io"

	"overcrank/coordinator/files"
	"overcrank/farm"
	"overcrank/raftstore"
)

const (
	maxPoster     = 1 << 20 // bytes
	maxPosterSide = 4096    // pixels
)

// A poster belongs to a template's file, so a new file begins without one.
func posterKey(sha256 string) string { return "posters/" + files.Part(sha256) }

// TemplatePoster is a small PNG or JPEG of the template's main composition when there is one, from the file itself or from
// the first job that rendered it; CodeNotFound otherwise.
func (c *Coordinator) TemplatePoster(ctx context.Context, p farm.Principal, id string) (*File, error) {
	t, err := c.Template(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if t.File == nil {
		return nil, noPoster(t)
	}
	r, err := c.files.Open(ctx, posterKey(t.File.SHA256))
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
	f := file(r, "poster."+kind, "")
	f.ETag = fmt.Sprintf(`"%x-%x"`, r.Modified.UnixNano(), r.Size)
	return f, nil
}

func noPoster(t farm.Template) error {
	return farm.Errorf(farm.CodeNotFound, "template %q has no picture", t.DisplayName)
}

// keepPoster keeps a picture for a template's file, unless it has one.
func (c *Coordinator) keepPoster(ctx context.Context, sha256 string, picture []byte) error {
	if _, err := c.files.Stat(ctx, posterKey(sha256)); err == nil {
		return nil
	}
	cfg, _, err := image.DecodeConfig(bytes.NewReader(picture))
	if err != nil {
		return fmt.Errorf("reading a template's picture: %w", err)
	}
	if cfg.Width > maxPosterSide || cfg.Height > maxPosterSide {
		return fmt.Errorf("a template's picture of %d by %d pixels is larger than %d by %d", cfg.Width, cfg.Height, maxPosterSide, maxPosterSide)
	}
	_, err = c.files.Put(ctx, posterKey(sha256), bytes.NewReader(picture), files.Limits{Size: int64(len(picture)), Max: maxPoster})
	return err
}

// posterFromJob makes the middle one of a job's pictures that of its template, if that has none.
func (c *Coordinator) posterFromJob(ctx context.Context, job farm.Job) error {
	if job.Template.ID == "" {
		return nil
	}
	var t farm.Template
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		t, err = tx.Template(job.Template.ID)
		return err
	})
	if err != nil || t.File == nil {
		return err
	}
	if _, err := c.files.Stat(ctx, posterKey(t.File.SHA256)); err == nil {
		return nil
	}
	list, err := c.thumbnails(ctx, job.ID)
	if err != nil || len(list) == 0 {
		return err
	}
	r, err := c.files.Open(ctx, thumbnailKey(job.ID, list[len(list)/2].Frame))
	if err != nil {
		return err
	}
	picture, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("reading a thumbnail: %w", err)
	}
	return c.keepPoster(ctx, t.File.SHA256, picture)
}
