// Package render draws frames of a composition.
package render

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"overcrank/aep"
	"overcrank/engine/audio"
	"overcrank/engine/eval"
	"overcrank/engine/footage"
	"overcrank/engine/scene"
	"overcrank/engine/text"
)

// Options are the settings of a render.
type Options struct {
	Scale float64 // 1 full size, 0.5 half; 0 means 1
	Draft bool    // nearest sampling, no antialiasing of footage
	// Background lays the composition's background colour behind each frame, as After Effects does for output without an
	// alpha channel. The backgrounds of nested compositions are never visible.
	Background bool
	// Fonts may be nil: then text layers are left out, with a warning. One goroutine at a time uses it.
	Fonts *text.Book
	// Footage opens the file of a footage item; the renderer closes it. After an error the layers of that item are left
	// out, with a warning; an error of a context ends the render.
	Footage func(ctx context.Context, it *aep.Item) (*footage.Source, error)
	// Expressions makes the expression machine of one worker; nil ignores expressions.
	Expressions func(e *eval.Evaluator) eval.Expressions
	// Warn is called once for each thing that cannot be drawn. Calls do not overlap.
	Warn    func(message string)
	Room    Room // for what is kept from frame to frame; nil for a budget of the render's own
	Workers int  // 0 means one per processor
	// MotionBlur says which of the layers that move are blurred: without it, those whose switch is on.
	MotionBlur MotionBlur
	// FrameBlending says of which layers frames are mixed: without it, of those whose switch is on.
	FrameBlending FrameBlending
	// Kept are frames that other renders of this machine drew, and that they may use; nil for none. Engine identifies the program that draws:
	// only frames of the same are used.
	Kept   Kept
	Engine string
	// Varies tells whether a layer of the composition is likely to be another one in other renders, so that what lies below such layers is kept for
	// them too; nil if none is.
	Varies func(*aep.Layer) bool
}

// Renderer draws one composition of a project, which must not change any more.
type Renderer struct {
	project *aep.Project
	comp    *aep.Item
	scene   *scene.Scene
	opt     Options
	width   int
	height  int
	kinds   map[scene.Kind]kind

	warned  warnings
	sources sources
	// readStills are the ids of stills that could be read: only these are known to hide what lies below them.
	readStills sync.Map
	surfaces   surfaces
	// tones are nil where frames are drawn in bytes.
	tones        *tones
	deepSurfaces deepSurfaces
	conversions  conversions
	layouts      layouts
	sounds       audio.Samples // for effects that show them
	cache        cache
	looks        looks
	places       places
	repeated     atomic.Int64
	reused       atomic.Int64
	origins      *origins    // nil where frames are not shared
	marred       atomic.Bool // something could not be drawn as the project has it, for a reason that another render may not have
	off          sync.Map    // the texts of expressions that were disabled
}

// maxPixels limits a frame: After Effects' own limit, 30000 on a side, would not fit into the memory of most machines.
const maxPixels = 8192 * 8192

// New prepares the composition comp. p must be complete (aep.Complete).
func New(p *aep.Project, comp *aep.Item, opt Options) (*Renderer, error) {
	if comp == nil || comp.Comp == nil {
		return nil, errors.New("there is no composition to render")
	}
	if opt.Scale == 0 {
		opt.Scale = 1
	}
	if !(opt.Scale > 0 && opt.Scale <= 8) {
		return nil, fmt.Errorf("composition %q can't be drawn at %g times its size", comp.Name, opt.Scale)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	r := &Renderer{project: p, comp: comp, scene: scene.Compile(p, comp), opt: opt, kinds: kinds()}
	r.width, r.height = Size(comp.Comp, opt.Scale)
	if comp.Comp.Width <= 0 || comp.Comp.Height <= 0 || r.width > maxPixels || r.height > maxPixels/r.width {
		return nil, fmt.Errorf("composition %q has an impossible size of %d by %d pixels", comp.Name, r.width, r.height)
	}
	r.warned.hear = opt.Warn
	r.sources.open = opt.Footage
	room := roomOf(opt.Room)
	r.cache.room, r.conversions.room = holding{room: room}, holding{room: room}
	if r.scene.Color.Deep() || managed(r.scene) {
		r.tones = newTones(r.scene.Color)
	}
	if opt.Kept != nil {
		r.origins = newOrigins(r)
	}
	return r, nil
}

// Size is the size of a composition that is drawn at a scale, in pixels.
func Size(c *aep.Composition, scale float64) (w, h int) {
	size := func(n int) int { return max(1, int(math.Round(float64(n)*scale))) }
	return size(c.Width), size(c.Height)
}

// Size is the size of the frames in pixels.
func (r *Renderer) Size() (w, h int) { return r.width, r.height }

// FrameTime is the composition time, in seconds, of frame n (0-based).
func FrameTime(c *aep.Composition, n int) float64 {
	if c.FrameTicks > 0 && c.TicksPerSecond > 0 {
		return float64(n) * float64(c.FrameTicks) / float64(c.TicksPerSecond)
	}
	if c.FrameRate > 0 {
		return float64(n) / c.FrameRate
	}
	return 0
}

// Close closes the footage that it opened, and gives back the room for what it kept.
func (r *Renderer) Close() error {
	r.cache.close()
	r.conversions.close()
	return r.sources.close()
}
