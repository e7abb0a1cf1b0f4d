package reader

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxPicture is how many bytes a template's picture may have.
const maxPicture = 1 << 20

// mogrtPicture is the picture that After Effects puts into a motion graphics template, nil when there is none.
func mogrtPicture(path string) ([]byte, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("opening a motion graphics template: %w", err)
	}
	defer func() { _ = archive.Close() }() // it was only read
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
