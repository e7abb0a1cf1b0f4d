package film

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/ffmpeg/encoding"
)

// thumbnailWidth is in pixels.
const thumbnailWidth = 320

// thumbnailName is how a small picture is called, which ffmpeg numbers.
const thumbnailName = "film_%03d.jpg"

// maxThumbnails is how many small pictures a result gets at most.
const maxThumbnails = 12

// Thumbnails writes small JPEGs of evenly spread frames of a film into the folder dir. The map is from frame, counted from
// the film's first as 0, to file.
func Thumbnails(ctx context.Context, path string, frames int, dir string) (map[int]string, error) {
	step := thumbnailStep(frames)
	_, err := run(ctx, "ffmpeg", append(reading(path), "-an", "-vf", thumbnailFilter(step), "-vsync", "vfr", "-start_number", "0", "-q:v", "5", numbered(dir, thumbnailName))...)
	if err != nil {
		return nil, fmt.Errorf("making thumbnails: %w", err)
	}
	return thumbnailsAt(dir, step), nil
}

// thumbnailStep is how many frames lie between two small pictures of a film of so many frames.
func thumbnailStep(frames int) int { return max(1, (frames+maxThumbnails-1)/maxThumbnails) }

func thumbnailFilter(step int) string {
	return fmt.Sprintf(`select=not(mod(n\,%d)),%s`, step, small())
}

// small is the filter that makes a picture or a film's frame small, in the colours of JPEG.
func small() string {
	return fmt.Sprintf("scale=%d:-2:flags=area,%s", thumbnailWidth, encoding.ToPicture("", "yuvj420p"))
}

// thumbnailsAt finds the pictures that ffmpeg wrote into a folder, by frame.
func thumbnailsAt(dir string, step int) map[int]string {
	found := make(map[int]string)
	for i := range maxThumbnails {
		file := filepath.Join(dir, fmt.Sprintf(thumbnailName, i))
		if _, err := os.Stat(file); err == nil {
			found[i*step] = file
		}
	}
	return found
}

// Thumbnail writes a small JPEG of a still.
func Thumbnail(ctx context.Context, still, path string) error {
	_, err := run(ctx, "ffmpeg", append(reading(still), "-frames:v", "1",
		"-vf", small(), "-q:v", "5", local(path))...)
	if err != nil {
		return fmt.Errorf("making a thumbnail: %w", err)
	}
	return nil
}
