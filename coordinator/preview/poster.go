package preview

import (
	"context"
	"errors"

	"overcrank/farm"
)

const (
	posterWidth = 640 // pixels
	// posterFull is from which size on, in bytes, a picture counts as one with something on it: an even one is smaller.
	posterFull = 12 << 10
)

// posterPlaces are where in a composition a picture of it is looked for, in fractions of its length. Most begin and end with an even colour.
var posterPlaces = []float64{0.5, 0.7, 0.3}

// Poster draws a picture of a composition as its template has it, in JPEG: of the middle, or of a place near it where more is to be seen.
// It keeps nothing open.
func (r *Room) Poster(ctx context.Context, t farm.Template, composition string, seconds float64) ([]byte, error) {
	select {
	case r.seats <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-r.seats }()
	s, err := r.apart(t)
	if err != nil {
		return nil, err
	}
	defer r.work.Done()
	defer s.close()
	var best []byte
	for _, place := range posterPlaces {
		shot := Shot{Composition: composition, Frame: -1, Time: seconds * place, Width: posterWidth}
		picture, failed := s.draw(ctx, shot, func() {})
		if err = errors.Join(err, failed); failed == nil && len(picture.JPEG) > len(best) {
			best = picture.JPEG
		}
		if len(best) >= posterFull {
			break
		}
	}
	if best == nil {
		return nil, err
	}
	return best, nil
}

// apart gives a stage that is not kept open for others. The room's work counts it until it is closed.
func (r *Room) apart(t farm.Template) (*stage, error) {
	fonts, err := r.fontsFor(t)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	r.work.Add(1)
	return newStage(r, "", t, fonts), nil
}
