package attempt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"overcrank/agent/film"
)

// renderSamples renders the frames that somebody looks at before the rest. Films begin and end with plain pictures: where a frame shows
// nothing, one near it that shows something takes its place.
func (t *attempt) renderSamples(ctx context.Context, e engine, p plan) (result, error) {
	made, err := e.render(ctx, p)
	if err != nil || len(made.stills) != len(p.places) {
		return made, err
	}
	detail, err := film.Detail(ctx, made.stills)
	if err != nil {
		t.log.Debug("nobody looked whether the samples show something", "error", err)
		return made, ctx.Err()
	}
	var others []int // all frames that may take the place of another
	for i, place := range p.places {
		if detail[i] < film.Plain {
			others = append(others, p.near(place)...)
		}
	}
	slices.Sort(others)
	others = slices.Compact(others)
	others = slices.DeleteFunc(others, func(n int) bool { return slices.Contains(p.places, n) })
	if len(others) == 0 {
		return made, nil
	}
	better, err := t.betterSamples(ctx, e, p, made, detail, others)
	if err != nil {
		t.log.Debug("the samples stay as they are", "error", err)
		return made, ctx.Err()
	}
	return better, nil
}

// near are frames on the way from one to the middle of what is rendered, or to both sides of it from the middle.
func (p plan) near(place int) (others []int) {
	first, last := p.span.Start, p.span.End
	eighth := p.span.Count() / 8
	if eighth < 1 {
		return nil
	}
	middle := (first + last) / 2
	steps := []int{-eighth, eighth}
	switch {
	case place < middle-eighth:
		steps = []int{eighth, 2 * eighth, 3 * eighth}
	case place > middle+eighth:
		steps = []int{-eighth, -2 * eighth, -3 * eighth}
	}
	for _, step := range steps {
		if n := place + step; n >= first && n <= last {
			others = append(others, n)
		}
	}
	return others
}

// still is a picture of a frame, and how much is to be seen in it.
type still struct {
	frame  int
	path   string
	detail float64
}

// betterSamples renders other frames, and puts the first of those that show something in the place of each that does not.
func (t *attempt) betterSamples(ctx context.Context, e engine, p plan, made result, detail []float64, others []int) (result, error) {
	t.say("%d sample frames show nothing; looking for others near them", len(slices.DeleteFunc(slices.Clone(detail), func(d float64) bool { return d >= film.Plain })))
	before := filepath.Join(t.dir, "tmp", "samples")
	out := filepath.Join(t.dir, "out")
	if err := os.Rename(out, before); err != nil {
		return result{}, fmt.Errorf("keeping the samples: %w", err)
	}
	if err := os.Mkdir(out, 0o700); err != nil {
		return result{}, fmt.Errorf("making room for other samples: %w", err)
	}
	found, err := e.render(ctx, p.at(others))
	if err == nil && len(found.stills) != len(others) {
		err = fmt.Errorf("%d samples were rendered, %d were asked for", len(found.stills), len(others))
	}
	var more []float64
	if err == nil {
		more, err = film.Detail(ctx, found.stills)
	}
	if err != nil {
		return result{}, errors.Join(err, os.RemoveAll(out), os.Rename(before, out))
	}
	byFrame := map[int]still{}
	for i, n := range others {
		byFrame[n] = still{n, found.stills[i], more[i]}
	}
	var chosen []still
	for i, place := range p.places {
		own := still{place, filepath.Join(before, filepath.Base(made.stills[i])), detail[i]}
		chosen = append(chosen, p.choose(own, byFrame))
	}
	slices.SortFunc(chosen, func(a, b still) int { return a.frame - b.frame })
	chosen = slices.CompactFunc(chosen, func(a, b still) bool { return a.frame == b.frame })
	path := filepath.Join(out, "chosen.zip")
	paths := make([]string, len(chosen))
	for i, s := range chosen {
		paths[i] = s.path
	}
	if err := zipStills(ctx, path, paths, func(i int) int { return chosen[i].frame }); err != nil {
		return result{}, errors.Join(err, os.RemoveAll(out), os.Rename(before, out))
	}
	made.path, made.stills = path, paths
	return made, nil
}

// choose is the first frame near one that shows nothing in which something is to be seen; the one itself when there is none.
func (p plan) choose(own still, others map[int]still) still {
	if own.detail >= film.Plain {
		return own
	}
	for _, n := range p.near(own.frame) {
		if other, known := others[n]; known && other.detail >= film.Plain {
			return other
		}
	}
	return own
}
