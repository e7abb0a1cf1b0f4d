// Package join stitches clips into one film with ffmpeg. When the video streams of all clips agree in codec and format, their packets are
// copied, else all clips are converted to the format of the first. Sound is copied when it agrees, too, else it is decoded, joined to the
// sample and encoded again.
package join

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/agent/film"
)

// Request says what to stitch.
type Request struct {
	Clips []string // files, in order
	Out   string   // of the film, an .mp4
	Dir   string   // for temporary files, which Join removes
	// Encoders are those of this machine; nil when ffmpeg is to be asked.
	Encoders []string
	// OnProgress, when not nil, is called with the progress, 0 to 1. It goes back when copied clips have to be converted after all.
	OnProgress func(fraction float64)
	// Say, when not nil, is called with lines for the job's log.
	Say func(line string)
}

// Result describes the film, which was decoded and checked from the first to the last frame.
type Result struct {
	film.Info
	Copied bool // the video packets of the clips were copied
}

// ClipError is the error of a clip that cannot be stitched, in words for whoever submitted the job.
type ClipError struct {
	Clip   int // its place in Request.Clips, from 0
	Detail string
}

func (e *ClipError) Error() string { return fmt.Sprintf("Asset %s (asset %d)", e.Detail, e.Clip) }

// maxSeconds is the longest film, in seconds. It limits how much a small hostile clip can make a machine write.
const maxSeconds = 24 * 60 * 60

// Join stitches clips. The error is a *ClipError when a clip cannot be used, and a *film.Wrong when the film is not as it should be.
func Join(ctx context.Context, req Request) (Result, error) {
	if len(req.Clips) == 0 {
		return Result{}, errors.New("there are no clips to stitch")
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
			return Result{}, ofClip(i, err)
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

// ofClip is an error that clip i caused, with the clip in it.
func ofClip(i int, err error) error {
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

// misfit is the error of clips that seemed to agree, but whose copy is not a valid film.
type misfit struct{ detail string }

func (m *misfit) Error() string { return "the clips do not fit together: " + m.detail }

// stitch brings each clip into a common form and puts them together. With copied the form is that of the clips.
func stitch(ctx context.Context, req Request, clips []clip, copied bool) (result Result, err error) {
	dir, err := os.MkdirTemp(req.Dir, "join-*")
	if err != nil {
		return Result{}, fmt.Errorf("make a folder for the clips: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s := newStage(req, dir, clips, copied)
	if s.taken != nil {
		req.Say("their sound is copied too")
	}
	for i := range clips {
		if err := s.clip(ctx, i); err != nil {
			return Result{}, ofClip(i, err)
		}
	}
	if err := s.assemble(ctx); err != nil {
		return Result{}, s.explain(err)
	}
	info, err := s.check(ctx)
	if err != nil {
		return Result{}, s.explain(err)
	}
	req.OnProgress(1)
	return Result{Info: info, Copied: copied}, nil
}

// explain turns an error of a copy into a *misfit, after which the clips are converted, and an unreadable film into a *film.Wrong.
func (s *stage) explain(err error) error {
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

// check verifies the film. A copied one is decoded from beginning to end: packets in one file may still not be one playable film.
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
