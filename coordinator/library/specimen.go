package library

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"overcrank/coordinator/files"
	"overcrank/coordinator/specimen"
	"overcrank/farm"
)

// Specimen is a line of text in a font's own face, as SVG, by the face's number within its file, from 0. CodeNotFound when the team has no such font,
// or when nothing can be drawn of it. One is drawn at a time; what came of it is remembered, also that it was nothing.
func (f *Fonts) Specimen(ctx context.Context, p farm.Principal, id string, face int) ([]byte, error) {
	font, err := f.Get(ctx, p, id)
	if err != nil {
		return nil, err
	}
	none := farm.Errorf(farm.CodeNotFound, "there is no specimen of face %d of the font %q", face+1, font.FileName)
	if face < 0 || face >= len(font.Faces) {
		return nil, none
	}
	svg, err := f.drawn(ctx, font.File, face)
	if errors.Is(err, specimen.ErrNone) {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	if len(svg) == 0 {
		return nil, none
	}
	return svg, nil
}

// leastKept is what a kept specimen takes at least, in bytes.
const leastKept = 256

func (f *Fonts) drawn(ctx context.Context, ref farm.FileRef, face int) ([]byte, error) {
	key := ref.SHA256 + "/" + strconv.Itoa(face)
	if svg, found := f.specimens.Get(key); found {
		return svg, nil
	}
	select {
	case f.drawing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-f.drawing }()
	if svg, found := f.specimens.Get(key); found { // another request has drawn it
		return svg, nil
	}
	svg, err := f.draw(ctx, ref, face)
	if err == nil || errors.Is(err, specimen.ErrNone) {
		f.specimens.Put(key, int64(len(svg)+leastKept), svg)
	}
	return svg, err
}

func (f *Fonts) draw(ctx context.Context, ref farm.FileRef, face int) ([]byte, error) {
	key, err := files.BlobKey(ref.SHA256)
	if err != nil {
		return nil, err
	}
	path, done, err := f.files.Path(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("drawing a font: %w", err)
	}
	defer done()
	return specimen.Draw(ctx, f.drawer, path, face)
}
