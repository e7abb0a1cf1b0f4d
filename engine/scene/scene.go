// Package scene compiles a composition of a project for drawing: once, before the first frame, everything that does not depend on
// the time is found, and what cannot be drawn is listed. A scene is read by all workers and never changes.
package scene

import (
	"slices"

	"overcrank/aep"
	"overcrank/engine/eval"
)

// Scene is a compiled composition.
type Scene struct {
	Project *aep.Project
	Root    *Comp
	Color   Color
	// Lacks is what cannot be drawn as After Effects draws it, in the order of the layers.
	Lacks []Lack

	comps []*Comp
	sizes []sized
}

// Comps are the compositions that are shown, each before those that show it. One that only layers show which are switched off is not among them.
func (s *Scene) Comps() []*Comp { return s.comps }

// Lack is something that a layer has, and that is not drawn.
type Lack struct {
	Comp  *aep.Item
	Layer *aep.Layer
	What  string  // such as "effect 'Glow'"
	Of    Feature // of which it is
	// Detail tells whether only details of the picture are missing, such as the pattern of a noise.
	Detail bool
	// Kept tells whether it matters only under render settings that keep what layers say themselves ("Current Settings").
	Kept bool
	// Moves tells whether it matters only where the shutter of the layer's composition opens.
	Moves bool
}

// Comp is a compiled composition. A composition that several layers show is compiled once.
type Comp struct {
	*aep.Composition
	Item *aep.Item
	All  []*Layer // from the top, as After Effects numbers them
	// Shown are the layers that may be seen, from the bottom: those that are enabled, and soloed if any is.
	Shown []*Layer
	Solo  bool // whether any layer is soloed
	// Constant tells whether it looks the same at all times at which the same of its layers are active.
	Constant bool

	// Lamps are the lights that are on.
	Lamps []Lamp

	byID    map[uint32]*Layer
	used    []*Layer
	read    []*Layer // those that effects of others read, at any size
	asked   *bool    // whether expressions measure layers; nil until that is asked
	seen    float64  // how large it is seen at most
	cameras []eval.Camera
}

// Used are the layers that are seen at some time or are a track matte, from the top.
func (c *Comp) Used() []*Layer { return c.used }

// Layer is the layer with an id; nil when id is 0 or unknown.
func (c *Comp) Layer(id uint32) *Layer { return c.byID[id] }

// Compile compiles a composition and those that it shows. The project must be complete (aep.Complete) and not change any more.
func Compile(p *aep.Project, comp *aep.Item) *Scene {
	c := compiler{
		scene: &Scene{Project: p, Color: colorOf(p)}, comps: make(map[*aep.Item]*Comp), within: make(map[*aep.Item]bool),
		shown: make(map[*Comp]bool), told: make(map[Lack]bool),
	}
	c.scene.Root = c.comp(comp)
	c.show(c.scene.Root)
	c.hear(c.scene.Root, make(map[*Comp]bool))
	c.scene.measure()
	return c.scene
}

type compiler struct {
	scene  *Scene
	comps  map[*aep.Item]*Comp
	within map[*aep.Item]bool // compositions that are being compiled
	shown  map[*Comp]bool     // of which what they lack is listed
	told   map[Lack]bool
}

func (c *compiler) comp(it *aep.Item) *Comp {
	if known := c.comps[it]; known != nil {
		return known
	}
	out := &Comp{Composition: it.Comp, Item: it, byID: make(map[uint32]*Layer)}
	c.comps[it] = out
	c.within[it] = true
	defer delete(c.within, it)
	for _, l := range it.Comp.Layers {
		compiled := c.layer(out, l)
		out.All = append(out.All, compiled)
		if _, taken := out.byID[l.ID]; !taken && l.ID != 0 {
			out.byID[l.ID] = compiled
		}
	}
	out.cameras = eval.CamerasOf(c.scene.Project, it)
	out.Lamps = out.lamps()
	out.Solo = anySolo(it.Comp.Layers)
	for i := len(out.All) - 1; i >= 0; i-- {
		if l := out.All[i]; l.Enabled && !l.Guide && !l.Null && (!out.Solo || l.Solo) {
			out.Shown = append(out.Shown, l)
		}
	}
	for i, l := range out.All {
		if l.Matte != aep.MatteNone {
			l.Matted = out.matte(i)
		}
	}
	for _, l := range out.All {
		l.unloop()
	}
	out.Constant = out.constant()
	return out
}

// View is how the camera of composition time frame sees the composition at composition time t.
func (c *Comp) View(e *eval.Evaluator, frame, t float64) eval.View {
	return eval.ViewDuring(e, c.Composition, c.cameras, frame, t)
}

// CameraMoves tells whether any of the cameras may move.
func (c *Comp) CameraMoves() bool {
	return slices.ContainsFunc(c.cameras, func(camera eval.Camera) bool { return camera.Moves() })
}

// matte is the track matte of layer i: the layer that it names, or in projects from before After Effects 23 the one above.
func (c *Comp) matte(i int) *Layer {
	switch l := c.All[i]; {
	case l.MatteLayer != 0:
		return c.Layer(l.MatteLayer)
	case i > 0:
		return c.All[i-1]
	}
	return nil
}

// unloop takes a matte away from a layer that is, through its mattes, its own.
func (l *Layer) unloop() {
	met := map[*Layer]bool{}
	for m := l; m.Matted != nil; m = m.Matted {
		if met[m] {
			l.lack("a track matte that is cut by itself", l.Matting())
			l.Matted = nil
			return
		}
		met[m] = true
	}
}

func anySolo(layers []*aep.Layer) bool {
	for _, l := range layers {
		if l.Solo {
			return true
		}
	}
	return false
}

func (c *Comp) constant() bool {
	for _, l := range c.All {
		// A nested composition has cuts of its own.
		if l.Varies || l.Inner != nil || l.Kind == Footage && l.Source != nil && !l.Source.Footage.Still {
			return false
		}
	}
	return true
}
