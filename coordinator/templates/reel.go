package templates

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"overcrank/aep"
	"overcrank/coordinator/files"
	"overcrank/coordinator/preview"
	"overcrank/farm"
)

const (
	reelsOfTemplate = 60              // compositions; those that are rendered come first
	reelsLimit      = 5 * time.Minute // for drawing those of one template
	reelSide        = 320             // pixels of the longer side of a frame
	maxReel         = 2 << 20         // bytes
	longestWhy      = 300             // bytes
)

// Reel is what is kept of a composition to look at: some of its frames side by side, or why it has none.
type Reel struct {
	Why string `json:"why,omitempty"` // "" when there are frames
}

// Reels are the reels of a template's compositions, by their numbers in the project. It is nil while they are being drawn, and lacks those that a
// template has too many of.
func (c *Catalog) Reels(ctx context.Context, p farm.Principal, id string) (map[uint32]Reel, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil || t.File == nil || t.Introspection == nil {
		return nil, err
	}
	if known, found := c.reels.Get(t.File.SHA256); found {
		return known, nil
	}
	text, err := files.ReadAll(ctx, c.files, files.ReelsKey(t.File.SHA256, "index.json"))
	if errors.Is(err, files.ErrNotFound) {
		c.painting.want(t)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for pictures of a template: %w", err)
	}
	var reels map[uint32]Reel
	if err := json.Unmarshal(text, &reels); err != nil {
		return nil, fmt.Errorf("reading what pictures a template has: %w", err)
	}
	c.reels.Put(t.File.SHA256, int64(len(text)), reels)
	return reels, nil
}

// OpenReel opens the frames of a composition, side by side in a JPEG; CodeNotFound when it has none.
func (c *Catalog) OpenReel(ctx context.Context, p farm.Principal, id string, composition uint32) (*files.File, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return nil, err
	}
	if t.File == nil {
		return nil, noPoster(t)
	}
	r, err := c.files.Open(ctx, files.ReelsKey(t.File.SHA256, reelName(composition)))
	if errors.Is(err, files.ErrNotFound) {
		return nil, noPoster(t)
	}
	if err != nil {
		return nil, fmt.Errorf("opening pictures of template %s: %w", id, err)
	}
	return files.NewPicture(r, "reel.jpg"), nil
}

func reelName(composition uint32) string { return strconv.FormatUint(uint64(composition), 10) + ".jpg" }

// paintReels draws the compositions of a template that has no reels.
func (w *painting) paintReels(ctx context.Context, t farm.Template, summary *aep.Summary) error {
	index := files.ReelsKey(t.File.SHA256, "index.json")
	if _, err := w.catalog.files.Stat(ctx, index); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reelsLimit)
	defer cancel()
	chosen := slices.Clone(summary.Compositions)
	slices.SortStableFunc(chosen, func(a, b aep.CompositionSummary) int { return cmp.Compare(rank(a), rank(b)) })
	chosen = chosen[:min(len(chosen), reelsOfTemplate)]
	scenes := make([]preview.Scene, len(chosen))
	for i, comp := range chosen {
		scenes[i] = preview.Scene{Composition: comp.Name, Seconds: comp.Duration, Width: reelWidth(comp.Width, comp.Height)}
	}
	reels := map[uint32]Reel{}
	err := w.painter.Reels(ctx, t, scenes, func(n int, strip []byte, failed error) error {
		if failed != nil {
			reels[chosen[n].ID] = Reel{Why: shortly(failed.Error())}
			return nil
		}
		reels[chosen[n].ID] = Reel{}
		key := files.ReelsKey(t.File.SHA256, reelName(chosen[n].ID))
		_, err := w.catalog.files.Put(ctx, key, bytes.NewReader(strip), files.Limits{Size: int64(len(strip)), Max: maxReel})
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(reels)
	if err != nil {
		return fmt.Errorf("writing down what pictures a template has: %w", err)
	}
	if _, err := w.catalog.files.Put(ctx, index, bytes.NewReader(text), files.Limits{Size: int64(len(text))}); err != nil {
		return fmt.Errorf("writing down what pictures a template has: %w", err)
	}
	w.catalog.farm.Pictured(t)
	return nil
}

// rank orders compositions: those that are rendered come first.
func rank(c aep.CompositionSummary) int {
	if c.Root {
		return 0
	}
	return 1
}

// reelWidth is how wide a frame of a composition is in its reel.
func reelWidth(width, height int) int {
	if height <= width || height <= 0 {
		return reelSide
	}
	return max(16, reelSide*width/height)
}

func shortly(why string) string {
	if len(why) > longestWhy {
		return strings.ToValidUTF8(why[:longestWhy], "") + "…"
	}
	return why
}
