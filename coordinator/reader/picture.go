package reader

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxPicture is the largest picture of a template, in bytes.
const maxPicture = 1 << 20

// mogrtPicture returns the picture that After Effects stores in a motion graphics template; nil when there is none.
func mogrtPicture(path string) ([]byte, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("opening a motion graphics template: %w", err)
	}
	defer func() { _ = archive.Close() }() // nothing was written
	for _, entry := range archive.File {
		if !strings.EqualFold(entry.Name, "thumb.png") || entry.UncompressedSize64 > maxPicture {
			continue
		}
		r, err := entry.Open()
		if err != nil {
			return nil, fmt.Errorf("opening its picture: %w", err)
		}
		picture, err := io.ReadAll(io.LimitReader(r, maxPicture))
		return picture, errors.Join(err, r.Close())
	}
	return nil, nil
}
