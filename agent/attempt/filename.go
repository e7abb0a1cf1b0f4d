package attempt

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"overcrank/farm/names"
)

// rename gives a fetched file the name it should have, with an extension that fits what is in it: programs go by that.
func rename(f fetchedFile, wanted string) (string, error) {
	name := wanted
	if name == "" {
		name = f.name
	}
	name = names.Element(name, "file")
	ext, err := trueExtension(f, filepath.Ext(name))
	if err != nil {
		return "", err
	}
	name = strings.TrimSuffix(name, filepath.Ext(name)) + ext
	to := filepath.Join(filepath.Dir(f.path), name)
	if err := os.Rename(f.path, to); err != nil {
		return "", fmt.Errorf("naming an asset: %w", err)
	}
	return to, nil
}

// extensions are those of the media types that a sniff can tell.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp", "image/tiff": ".tif",
	"image/svg+xml": ".svg", "video/mp4": ".mp4", "video/webm": ".webm", "video/quicktime": ".mov", "video/avi": ".avi", "video/x-matroska": ".mkv",
	"audio/mpeg": ".mp3", "audio/wave": ".wav", "audio/x-wav": ".wav", "audio/wav": ".wav", "audio/aiff": ".aif", "audio/aac": ".aac", "audio/mp4": ".m4a",
	"application/ogg": ".ogg", "audio/ogg": ".ogg", "text/csv": ".csv", "application/json": ".json",
}

// trueExtension keeps a name's extension, unless the content is a picture, film or sound of another kind.
func trueExtension(f fetchedFile, has string) (string, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return "", fmt.Errorf("looking at an asset: %w", err)
	}
	defer in.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("looking at an asset: %w", err)
	}
	sniffed := extensions[http.DetectContentType(head[:n])]
	switch {
	case sniffed == ".mp4" && (has == ".mov" || has == ".m4a" || has == ".m4v"), sniffed == ".ogg" && (has == ".oga" || has == ".ogv" || has == ".opus"),
		sniffed == ".jpg" && has == ".jpeg", sniffed == ".webm" && has == ".mkv":
		return has, nil
	case sniffed != "":
		return sniffed, nil
	case has != "":
		return has, nil
	}
	return extensions[f.kind], nil
}
