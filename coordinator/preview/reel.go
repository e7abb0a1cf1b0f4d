package preview

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"

	"overcrank/farm"
)

const (
	// ReelFrames is how many frames of a composition stand side by side in its reel.
	ReelFrames  = 6
	reelQuality = 80
)

// Scene is a composition of which a reel is drawn.
type Scene struct {
	Composition string
	Seconds     float64 // its length
	Width       int     // of one frame, in pixels
}

// Reels draws frames of compositions as their template has them, from beginning to end: told gets those of each side by side as one JPEG, the one on
// which most is to be seen first, or the error for people of what cannot be drawn. It keeps nothing open, and takes a seat for one frame at a time,
// so that people who wait for a preview go between. The error says that the rest was not tried.
func (r *Room) Reels(ctx context.Context, t farm.Template, scenes []Scene, told func(n int, strip []byte, err error) error) error {
	s, err := r.apart(t)
	if err != nil {
		return err
	}
	defer r.work.Done()
	defer s.close()
	for n, scene := range scenes {
		strip, err := r.reel(ctx, s, scene)
		if err != nil && (ctx.Err() != nil || errors.Is(err, errClosed) || farm.CodeOf(err) == farm.CodeUnavailable) {
			return err
		}
		if err != nil {
			err = r.words(ctx, t, err)
		}
		if err := told(n, strip, err); err != nil {
			return err
		}
	}
	return nil
}

// reel draws the frames of one composition.
func (r *Room) reel(ctx context.Context, s *stage, scene Scene) ([]byte, error) {
	var drawn [ReelFrames][]byte
	first := 0
	for i := range drawn {
		select {
		case r.seats <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		at := scene.Seconds * (float64(i) + 0.5) / ReelFrames
		picture, err := s.draw(ctx, Shot{Composition: scene.Composition, Frame: -1, Time: at, Width: scene.Width}, func() { <-r.seats })
		if err != nil {
			return nil, err
		}
		if drawn[i] = picture.JPEG; len(drawn[i]) > len(drawn[first]) {
			first = i
		}
	}
	return sideBySide(append(drawn[first:], drawn[:first]...))
}

// sideBySide puts pictures of one size beside each other.
func sideBySide(frames [][]byte) ([]byte, error) {
	var strip *image.RGBA
	var one image.Rectangle
	for i, frame := range frames {
		picture, err := jpeg.Decode(bytes.NewReader(frame))
		if err != nil {
			return nil, fmt.Errorf("reading a frame of a template: %w", err)
		}
		if strip == nil {
			one = picture.Bounds().Sub(picture.Bounds().Min)
			strip = image.NewRGBA(image.Rect(0, 0, one.Dx()*len(frames), one.Dy()))
		}
		if picture.Bounds().Size() != one.Size() {
			return nil, errors.New("frames of one composition differ in size")
		}
		draw.Draw(strip, one.Add(image.Pt(i*one.Dx(), 0)), picture, picture.Bounds().Min, draw.Src)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, strip, &jpeg.Options{Quality: reelQuality}); err != nil {
		return nil, fmt.Errorf("writing the frames of a template: %w", err)
	}
	return out.Bytes(), nil
}
