package attempt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/agent/film"
	"overcrank/frames"
)

var mediaTypes = map[string]string{"mp4": "video/mp4", "mov": "video/quicktime", "png": "image/png", "jpg": "image/jpeg", "zip": "application/zip"}

// check looks at what was written, from its first to its last frame.
func (t *attempt) check(ctx context.Context, p plan) (result, error) {
	switch {
	case p.sound:
		return t.checkSound()
	case p.part:
		return t.checkPart(p)
	case p.stills:
		return t.checkStills(ctx, p)
	}
	return t.checkFilm(ctx, p)
}

func (t *attempt) checkFilm(ctx context.Context, p plan) (result, error) {
	path := t.output(p)
	info, err := film.CheckFilm(ctx, path, p.want)
	if err != nil {
		return result{}, err
	}
	if p.audio && !info.Audio {
		return result{}, &film.Wrong{Message: "the film has no sound, and the composition has"}
	}
	seen, err := film.Watch(ctx, path, info, t.wantedThumbnails())
	if err != nil {
		return result{}, err
	}
	if !info.Audio && p.sounds {
		seen.Hints = append(seen.Hints, "The composition has a layer with sound, and the film has no sound.")
	}
	for _, hint := range seen.Hints {
		t.warn(hint)
	}
	t.say("the film is whole: %d frames, %d×%d pixels, %.2f s", info.Frames, info.Width, info.Height, info.Duration)
	return result{path: path, info: info, kind: mediaTypes[p.ext], thumbs: seen.Frames}, nil
}

func (t *attempt) checkStills(ctx context.Context, p plan) (result, error) {
	out := filepath.Join(t.dir, "out")
	files, info, err := film.CheckStills(ctx, out, stillsPrefix, p.ext, p.want)
	if err != nil {
		return result{}, err
	}
	whole := "the picture is whole"
	if len(files) != 1 {
		whole = fmt.Sprintf("%d pictures are whole", len(files))
	}
	t.say("%s, %d×%d pixels", whole, info.Width, info.Height)
	switch {
	case info.Black && len(files) == 1:
		t.warn("The picture is black.")
	case info.Black:
		t.warn("All pictures are black.")
	}
	info.FrameRate, info.Duration = 0, 0
	if !p.zipped {
		return result{path: files[0], info: info, kind: mediaTypes[p.ext]}, nil
	}
	path := filepath.Join(out, "result.zip")
	if err := zipStills(ctx, path, files, p.place); err != nil {
		return result{}, err
	}
	return result{path: path, info: info, kind: mediaTypes["zip"], stills: files, rate: p.want.FrameRate}, nil
}

// checkPart looks at the frames that the engine drew, from the first to the last. Whoever puts the film together unpacks them.
func (t *attempt) checkPart(p plan) (result, error) {
	path := filepath.Join(t.dir, "out", partName)
	grown, size, err := growth(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return result{}, &film.Wrong{Message: "the engine wrote no frames"}
	case errors.Is(err, frames.ErrFormat):
		return result{}, &film.Wrong{Message: "the frames cannot be read"}
	case err != nil:
		return result{}, err
	case grown.End != size || grown.Frames != p.frames || grown.First != p.first || grown.Last != p.first+p.frames-1:
		return result{}, &film.Wrong{Message: fmt.Sprintf("%d frames are whole, %d were expected", grown.Frames, p.frames)}
	}
	head := grown.Head()
	if p.want.Width > 0 && head.Width != p.want.Width || p.want.Height > 0 && head.Height != p.want.Height {
		message := fmt.Sprintf("the frames are %d×%d pixels, %d×%d were expected", head.Width, head.Height, p.want.Width, p.want.Height)
		return result{}, &film.Wrong{Message: message}
	}
	t.say("%d frames are whole, %d×%d pixels, %d KiB", grown.Frames, head.Width, head.Height, size>>10)
	return framesResult(path, grown), nil
}

// checkSound looks at the sound of a composition. One without samples says that the composition is silent.
func (t *attempt) checkSound() (result, error) {
	path := filepath.Join(t.dir, "out", soundName)
	seconds, err := soundLength(path)
	if errors.Is(err, os.ErrNotExist) {
		return result{}, &film.Wrong{Message: "the engine wrote no sound"}
	}
	if err != nil {
		return result{}, err
	}
	if seconds == 0 {
		t.say("the composition has no sound")
	} else {
		t.say("the sound lasts %.2f s", seconds)
	}
	return result{path: path, info: film.Info{Duration: seconds, Audio: seconds > 0}, kind: "audio/wav"}, nil
}

// soundLength is how many seconds the sound lasts.
func soundLength(path string) (float64, error) {
	seconds, err := frames.SoundLength(path)
	if errors.Is(err, frames.ErrFormat) {
		err = &film.Wrong{Message: "the sound cannot be read"}
	}
	return seconds, err
}
