package preflight

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/engine/effect"
	"overcrank/engine/scene"
)

// needs are the features that a scene uses, with how often and how they are drawn. They are listed here and not by the scene, since renders have no use
// for the list, and the program of workstations no room.
type needs struct {
	project *aep.Project
	list    []aep.Need
	at      map[scene.Feature]int // by key
	lacks   map[*aep.Layer][]scene.Lack
	parts   map[scene.Feature]map[string]bool // what of a feature is used, by name
}

// key is what tells a feature from others: its kind, with its match name if it has one.
func key(f scene.Feature) scene.Feature {
	known, _, _ := strings.Cut(string(f), "\x00")
	return scene.Feature(known)
}

// needOf is a feature as it is told.
func needOf(f scene.Feature) aep.Need {
	kind, name, _ := strings.Cut(string(f), ":")
	if match, own, has := strings.Cut(name, "\x00"); has {
		return aep.Need{Kind: aep.NeedKind(kind), Name: own, Match: match}
	}
	return aep.Need{Kind: aep.NeedKind(kind), Name: name}
}

// needsOf are the features of the layers that are seen, or are a track matte, and what is heard.
func needsOf(s *scene.Scene) *needs {
	n := &needs{project: s.Project, at: make(map[scene.Feature]int), lacks: make(map[*aep.Layer][]scene.Lack),
		parts: make(map[scene.Feature]map[string]bool)}
	for _, lack := range s.Lacks {
		n.lacks[lack.Layer] = append(n.lacks[lack.Layer], lack)
	}
	n.picture(s.Color)
	for _, c := range s.Comps() {
		for _, l := range c.Used() {
			n.layer(l)
		}
	}
	n.heard(s.Root, make(map[*scene.Comp]bool))
	for _, note := range s.Notes() {
		n.lack(note)
	}
	return n
}

// heard counts the sounds of a composition and of those within it, whether their layers are seen or not.
func (n *needs) heard(c *scene.Comp, known map[*scene.Comp]bool) {
	known[c] = true
	for _, l := range c.All {
		if !l.Heard() {
			continue
		}
		if l.Source.Footage != nil && l.Source.Footage.HasAudio {
			n.use(scene.Sounds, 1)
		}
		if !slices.Contains(c.Used(), l) { // whose effects are counted
			for _, e := range l.Sounds {
				n.use(e.Feature(), 1)
			}
			for _, lack := range n.lacks[l.Layer] {
				n.lack(lack)
			}
		}
		if l.Inner != nil && !known[l.Inner] {
			n.heard(l.Inner, known)
		}
	}
}

// sorted are the features, those first that count most: what is not drawn, then what is drawn nearly; then by kind and name. Names are cut.
func (n *needs) sorted() []aep.Need {
	for f, parts := range n.parts {
		if i, used := n.at[f]; used && len(parts) > 0 {
			n.list[i].Name += between[f] + strings.Join(slices.Sorted(maps.Keys(parts)), ", ")
		}
	}
	verdicts, kinds := aep.Verdicts(), aep.NeedKinds()
	slices.SortFunc(n.list, func(a, b aep.Need) int {
		return cmp.Or(
			slices.Index(verdicts, a.Drawn)-slices.Index(verdicts, b.Drawn),
			slices.Index(kinds, a.Kind)-slices.Index(kinds, b.Kind),
			strings.Compare(a.Name, b.Name), strings.Compare(a.Match, b.Match),
		)
	})
	for i := range n.list {
		n.list[i].Name, n.list[i].Match = short(n.list[i].Name), short(n.list[i].Match)
	}
	return n.list
}

// use counts a feature, which is drawn exactly as long as nothing is said of what it lacks. An effect has the name that After Effects gives it, not
// that of a layer's own.
func (n *needs) use(f scene.Feature, count int) *aep.Need {
	i, known := n.at[key(f)]
	if !known {
		i = len(n.list)
		n.at[key(f)] = i
		need := needOf(f)
		if need.Drawn = aep.DrawsExactly; need.Kind == aep.NeedEffect {
			need.Name = cmp.Or(n.project.EffectName(need.Match), need.Name)
		}
		n.list = append(n.list, need)
	}
	n.list[i].Count += count
	return &n.list[i]
}

// file counts a file.
func (n *needs) file(it *aep.Item) { n.use(scene.Filed(it), 1) }

// expressions counts expressions; failing tells whether any of them fails.
func (n *needs) expressions(count int, failing bool) {
	if count == 0 {
		return
	}
	if need := n.use(scene.Expressions, count); failing {
		need.Drawn = aep.DrawsNot
	}
}

// lack says of a feature that something of it is not drawn.
func (n *needs) lack(lack scene.Lack) {
	switch need := n.use(lack.Of, 0); {
	case !lack.Detail:
		need.Drawn = aep.DrawsNot
	case need.Drawn == aep.DrawsExactly:
		need.Drawn = aep.DrawsNearly
	}
}

// picture notes how the colours of the project are drawn.
func (n *needs) picture(c scene.Color) {
	when := func(used bool, f scene.Feature) {
		if used {
			n.use(f, 0)
		}
	}
	when(c.Bits > 8, c.Depth())
	when(c.LinearBlending, scene.LinearBlending)
	when(c.LinearLayers, scene.LinearSpace)
	when(n.project.Color.OCIO, scene.OpenColorIO)
	if space := n.project.Color.WorkingSpace; space.Has() {
		n.use(scene.Of(aep.NeedProfile, cmp.Or(space.Name, "of the project")), 0)
	}
}

// layer counts the features of a layer, each once.
func (n *needs) layer(l *scene.Layer) {
	told := make(map[scene.Feature]bool)
	use := func(f scene.Feature) {
		if !told[key(f)] {
			told[key(f)] = true
			n.use(f, 1)
		}
	}
	n.made(l, use)
	n.within(l)
	for _, e := range l.Effects {
		use(e.Feature())
	}
	for _, e := range l.Sounds {
		use(e.Feature())
	}
	if l.Styles != nil {
		for _, s := range l.Styles.On {
			use(scene.Styled(s))
		}
	}
	for _, lack := range n.lacks[l.Layer] {
		if needOf(lack.Of).Kind != aep.NeedFootage { // whose files are counted
			use(lack.Of)
		}
		n.lack(lack)
	}
}

// layerKinds are the features that layers are by their kind.
var layerKinds = [...]scene.Feature{
	scene.Unknown: scene.UnknownLayers, scene.Solid: scene.Solids, scene.Nested: scene.Compositions, scene.Text: scene.Texts, scene.Shape: scene.Shapes,
	scene.Camera: scene.Cameras, scene.Light: scene.Lights,
}

// made tells what a layer is, and how it is put over others.
func (n *needs) made(l *scene.Layer, use func(scene.Feature)) {
	when := func(used bool, f scene.Feature) {
		if used {
			use(f)
		}
	}
	pictured := l.Kind != scene.Camera && l.Kind != scene.Light
	when(layerKinds[l.Kind] != "", layerKinds[l.Kind])
	when(l.Adjustment, scene.Adjustments)
	when(l.ThreeD && pictured, scene.DeepLayers)
	when(l.Glyphs != nil && l.Glyphs.InSpace(), scene.DeepCharacters)
	when(l.Kind == scene.Nested && l.Collapse, scene.Collapsed)
	when(l.Sharp(), scene.Continuous)
	when(l.Glyphs != nil, scene.Animators)
	when(len(l.Masks) > 0, scene.Masks)
	when(l.Blend > aep.BlendNormal, scene.Of(aep.NeedBlend, l.Blend.String()))
	when(l.MotionBlur && pictured, scene.MotionBlur)
	when(l.Remapped, scene.Remapping)
	if l.FrameBlend && l.MixesFrames() {
		use(l.Blended())
	}
	if l.Matte != aep.MatteNone {
		use(l.Matting())
	}
	if parade := l.Props.Child("ADBE Effect Parade"); parade != nil {
		when(slices.ContainsFunc(parade.Children, effect.IsControl), scene.Controls)
	}
}
