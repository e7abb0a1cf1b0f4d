// Package join stitches clips into one film. The clips' pictures are copied when all of them agree, and otherwise conformed
// to the first one; their sound is copied when it agrees too, and otherwise put together sample by sample. All of it is
// ffmpeg's and ffprobe's work.
package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/agent/film"
)

// Request is what is to be stitched.
type Request struct {
	Clips []string // files, in order
	Out   string   // of the film, an .mp4
	Dir   string   // for files in between, which are gone when Join returns
	// OnProgress, when not nil, is told how much is done, from 0 to 1. It may fall, when copied clips have to be conformed
	// after all.
	OnProgress func(fraction float64)
	// Say, when not nil, is told in a line what is done.
	Say func(line string)
}

// Result is a film that was looked at from its first to its last frame.
type Result struct {
	film.Info
	Copied bool // the pictures are those of the clips, packet by packet
}

// ClipError is a clip that cannot be stitched, in words for who submitted the job.
type ClipError struct {
	Clip   int // its place in Request.Clips, from 0
	Detail string
}

func (e *ClipError) Error() string { return fmt.Sprintf("Asset %s (asset %d)", e.Detail, e.Clip) }

// maxSeconds bounds a film, and with it what a few bytes of a hostile clip can make a machine write.
const maxSeconds = 24 * 60 * 60

// Join stitches. Its error is a *ClipError when a clip is to blame, *film.Wrong when the film is not what it should be.
func Join(ctx context.Context, req Request) (Result, error) {
	if len(req.Clips) == 0 {
		return Result{}, errors.New("there is nothing to stitch")
	}
	if req.OnProgress == nil {
		req.OnProgress = func(float64) {}
	}
	if req.Say == nil {
		req.Say = func(string) {}
	}
	clips := make([]clip, len(req.Clips))
	var seconds float64
	for i, path := range req.Clips {
		var err error
		if clips[i], err = survey(ctx, path); err != nil {
			return Result{}, blame(i, err)
		}
		if seconds += clips[i].seconds; seconds > maxSeconds {
			return Result{}, &ClipError{Clip: i, Detail: "makes the film longer than 24 hours"}
		}
	}
	if why := differ(clips); why != "" {
		req.Say(why + ": all clips are conformed to the first")
		return stitch(ctx, req, clips, false)
	}
	req.Say(fmt.Sprintf("all %d clips agree: their pictures are copied", len(clips)))
	result, err := stitch(ctx, req, clips, true)
	if unfit := new(misfit); errors.As(err, &unfit) {
		req.Say("the copy is not sound (" + unfit.detail + "): all clips are conformed to the first")
		return stitch(ctx, req, clips, false)
	}
	return result, err
}

// blame names the clip of an error that it caused.
func blame(i int, err error) error {
	var unreadable *film.Unreadable
	if errors.As(err, &unreadable) {
		return &ClipError{Clip: i, Detail: unreadable.Error()}
	}
	var own *ClipError
	if errors.As(err, &own) {
		own.Clip = i
		return own
	}
	return err
}

// misfit is a copy of clips that agreed, and yet do not make one film.
type misfit struct{ detail string }

func (m *misfit) Error() string { return "the clips do not fit together: " + m.detail }

// stitch makes the film of clips that are brought into one form first, each for itself.
func stitch(ctx context.Context, req Request, clips []clip, copied bool) (result Result, err error) {
	dir, err := os.MkdirTemp(req.Dir, "join-*")
	if err != nil {
		return Result{}, fmt.Errorf("making a folder for the clips: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s := newStage(req, dir, clips, copied)
	if s.taken != nil {
		req.Say("their sound is copied too")
	}
	for i := range clips {
		if err := s.clip(ctx, i); err != nil {
			return Result{}, blame(i, err)
		}
	}
	if err := s.assemble(ctx); err != nil {
		return Result{}, s.doubt(err)
	}
	info, err := s.check(ctx)
	if err != nil {
		return Result{}, s.doubt(err)
	}
	req.OnProgress(1)
	return Result{Info: info, Copied: copied}, nil
}

// doubt makes a reason to conform of what a copy ended with.
func (s *stage) doubt(err error) error {
	var unreadable *film.Unreadable
	var wrong *film.Wrong
	switch {
	case s.copied && (errors.As(err, &unreadable) || errors.As(err, &wrong)):
		return &misfit{detail: err.Error()}
	case errors.As(err, &unreadable):
		return &film.Wrong{Message: "the film " + unreadable.Error()}
	}
	return err
}

// check decodes the film, since clips whose packets lie in one file need not be one film.
func (s *stage) check(ctx context.Context) (film.Info, error) {
	info, err := film.CheckFilm(ctx, s.req.Out, film.Want{Frames: s.frames, FrameRate: s.target.rate.value()})
	if err != nil {
		return film.Info{}, err
	}
	if !s.copied {
		return info, nil
	}
	decoded, err := decode(ctx, s.req.Out)
	if err == nil && decoded != s.frames {
		err = &film.Wrong{Message: fmt.Sprintf("of %d frames %d can be seen", s.frames, decoded)}
	}
	return info, err
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }
