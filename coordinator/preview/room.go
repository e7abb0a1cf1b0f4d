package preview

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"overcrank/farm"
)

// errClosed is the error of what is asked for after the room was closed.
var errClosed = errors.New("previews are no longer drawn here")

// hold gives the stage of a template's file, for one drawing; letGo gives it back. As many hold stages as there may be: where all stand,
// one of them is not held, and makes room.
func (r *Room) hold(t farm.Template) (*stage, error) {
	fonts, err := r.fontsFor(t)
	if err != nil {
		return nil, err
	}
	key := keyOf(t, fonts)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	s := r.stages[key]
	if s == nil {
		if len(r.stages) >= mostWarm {
			r.drop(r.longest())
		}
		s = newStage(r, key, t, fonts)
		r.stages[key] = s
	}
	s.held++
	r.work.Add(1)
	return s, nil
}

func (r *Room) fontsFor(t farm.Template) ([]farm.FileRef, error) {
	fonts, err := r.farm.FontsFor(t)
	if err != nil {
		return nil, fmt.Errorf("looking for the fonts of template %s: %w", t.ID, err)
	}
	return fonts, nil
}

// letGo ends what hold began.
func (r *Room) letGo(s *stage) {
	defer r.work.Done()
	r.mu.Lock()
	defer r.mu.Unlock()
	s.held--
	s.used = time.Now()
	if s.held == 0 && r.stages[s.key] != s {
		r.work.Go(s.close)
	}
}

// longest is the stage that nobody holds and that was held longest ago.
func (r *Room) longest() (found *stage) {
	for _, s := range r.stages {
		if s.held == 0 && (found == nil || s.used.Before(found.used)) {
			found = s
		}
	}
	return found
}

// drop takes a stage out of use; nil is none.
func (r *Room) drop(s *stage) {
	if s == nil {
		return
	}
	delete(r.stages, s.key)
	if s.held == 0 {
		r.work.Go(s.close)
	}
}

// tidy drops the stages that nobody held since a time.
func (r *Room) tidy(since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.stages {
		if s.held == 0 && s.used.Before(since) {
			r.drop(s)
		}
	}
}

// close ends all processes, and waits for what is under way.
func (r *Room) close() {
	r.mu.Lock()
	r.closed = true
	r.end()
	for _, s := range r.stages {
		r.drop(s)
	}
	r.mu.Unlock()
	r.work.Wait()
}

// keyOf is what a stage shows: another file of the template, another team or another font is another stage.
func keyOf(t farm.Template, fonts []farm.FileRef) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%s\n", t.Team, t.Type, t.File.SHA256)
	for _, f := range fonts {
		fmt.Fprintf(sum, "%s %q\n", f.SHA256, f.Name)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
