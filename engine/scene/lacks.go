package scene

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"overcrank/aep"
	"overcrank/engine/effect"
	"overcrank/engine/eval"
	"overcrank/engine/footage"
	"overcrank/engine/style"
)

// lack notes what of a feature of the layer is not drawn, detail what of that only changes details.
func (l *Layer) lack(what string, of Feature) { l.lacks = append(l.lacks, Lack{What: what, Of: of}) }
func (l *Layer) detail(what string, of Feature) {
	l.lacks = append(l.lacks, Lack{What: what, Of: of, Detail: true})
}

// show lists what the layers of a composition lack that are seen at some time, are a track matte, or whose effects another's effect sees; and before
// that what those compositions lack that they show.
func (c *compiler) show(comp *Comp) {
	if c.shown[comp] {
		return
	}
	c.shown[comp] = true
	u := usage{comp: comp, layers: make(map[*Layer]bool), sources: make(map[*Layer]bool)}
	for _, l := range comp.Shown {
		if min(l.In, l.Out) < comp.Duration && max(l.In, l.Out) > 0 {
			u.use(l)
		}
	}
	for _, l := range comp.All {
		if u.sources[l] && l.Inner != nil {
			c.show(l.Inner)
		}
	}
	comp.read = u.read
	for _, l := range comp.All {
		if u.layers[l] {
			comp.used = append(comp.used, l)
			c.seen(l)
		}
	}
	c.scene.comps = append(c.scene.comps, comp)
}

// usage is what is drawn of a composition.
type usage struct {
	comp   *Comp
	layers map[*Layer]bool
	// sources are the layers of which the source is drawn, whether they are themselves or not.
	sources map[*Layer]bool
	// read are the layers that effects of others read.
	read []*Layer
}

// use notes a layer, and those that it shows itself with.
func (u *usage) use(l *Layer) {
	if l == nil || u.layers[l] {
		return
	}
	u.layers[l], u.sources[l] = true, true
	u.use(l.Matted)
	group := l.Props.Child("ADBE Effect Parade")
	if group == nil || !l.EffectsEnabled {
		return
	}
	for _, e := range group.Children {
		for _, p := range e.Children {
			other := u.comp.Layer(p.LayerRef)
			if !e.Enabled || other == nil || effect.IsControl(e) {
				continue
			}
			u.read = append(u.read, other)
			if p.LayerPart == aep.LayerSource {
				u.sources[other] = true
				continue
			}
			u.use(other)
		}
	}
}

// seen lists what a layer lacks.
func (c *compiler) seen(l *Layer) {
	l.switches()
	l.styles()
	l.shadows()
	l.solid()
	l.heard()
	l.flat()
	switch l.Kind {
	case Unknown:
		l.lack("a layer of this kind", UnknownLayers)
	case Camera:
		l.iris()
	case Light:
		l.light()
	case Footage:
		l.file(c.scene.Color.Bits)
		if c.scene.Color.Working != nil && l.Source != nil && l.Source.Footage.Kind == aep.FootageFile {
			if _, err := FootageProfile(l.Source); err != nil && !errors.Is(err, fs.ErrNotExist) {
				l.detail("the colour profile of '"+l.Source.FileName()+"'", Filed(l.Source))
			}
		}
	case Nested:
		if l.within {
			l.lack("composition '"+l.Source.Name+"' within itself", Compositions)
		}
	case Text:
		l.text()
	case Shape:
		for _, what := range l.Shapes.Lacks() {
			l.lack(what, Shapes)
		}
		for _, what := range l.Shapes.Nearly() {
			l.detail(what, Shapes)
		}
	}
	for _, lack := range l.lacks {
		c.tell(l, lack)
	}
}

// tell lists what a layer lacks, once.
func (c *compiler) tell(l *Layer, lack Lack) {
	lack.Comp, lack.Layer = l.Comp.Item, l.Layer
	if !c.told[lack] {
		c.told[lack] = true
		c.scene.Lacks = append(c.scene.Lacks, lack)
	}
}

// switches are the features of a layer of any kind.
func (l *Layer) switches() {
	comp := l.Comp
	if l.Kind == Nested && l.Collapse && !l.Joins && l.Inner.deep() {
		l.lack("the depth of 3D layers in a collapsed composition, among those around it,", Collapsed)
	}
	if l.AutoOrient && l.rises() {
		l.lack("the way along a path in depth of what is oriented along it", DeepLayers)
	}
	if what := l.lowQuality(); what != "" {
		l.lacks = append(l.lacks, Lack{What: what, Of: RoughLayers, Detail: true, Kept: true})
	}
	if l.Bicubic && l.Quality > draft && !l.Vector() {
		l.detail("bicubic sampling", Bicubic)
	}
	if l.FrameBlend && l.MixesFrames() {
		if l.PixelMotion {
			l.detail("the movement between frames of pixel motion, which are mixed,", PixelMotion)
		}
		if l.hurries() {
			l.detail("After Effects' own mixture of the frames that pass in one", l.Blended())
		}
	}
	if a, b := sourceAspect(l.Source), Aspect(comp.PixelAspect); a != 0 && unlike(a, b) {
		l.lack(fmt.Sprintf("a source with pixels of %.3g:1 among pixels of %.3g:1", a, b), OddPixels)
	}
	if l.OtherSize {
		l.detail("the fitting of media of another size in the place of others", Essentials)
	}
	if group := l.Props.Child("ADBE Layer Overrides"); group != nil && len(group.Children) > 0 {
		l.lack("a value of its own for an essential property", Essentials)
	}
}

// rises tells whether it moves such that a turn about z does not orient it along its path: a camera or a light at all, a 3D layer in depth.
func (l *Layer) rises() bool {
	p := l.Props.Find("ADBE Transform Group", "ADBE Position")
	if p == nil || len(p.Keys) < 2 {
		return false
	}
	if l.Kind == Camera || l.Kind == Light {
		return l.Comp.deep()
	}
	first := depthOf(p.Keys[0].Value)
	return l.ThreeD && slices.ContainsFunc(p.Keys, func(k aep.Keyframe) bool { return depthOf(k.Value) != first })
}

// depthOf is z of a position.
func depthOf(v aep.Value) float64 {
	if n, ok := v.(aep.Numbers); ok && len(n) > 2 {
		return n[2]
	}
	return 0
}

// The qualities of a layer below the best.
const (
	wireframe = 0
	draft     = 1
)

// lowQuality is the quality in which After Effects draws the layer under settings that keep it; empty for the best, and for what is not seen.
func (l *Layer) lowQuality() string {
	switch {
	case l.Kind == Unknown || l.Kind == Camera || l.Kind == Light:
	case l.Quality == wireframe:
		return "the wireframe that 'Current Settings' make of a layer"
	case l.Quality == draft:
		return "the draft quality that 'Current Settings' give a layer"
	}
	return ""
}

// Notes say what of the whole composition differs from what After Effects draws, in sentences.
func (s *Scene) Notes() (notes []Lack) {
	if a := Aspect(s.Root.PixelAspect); unlike(a, 1) {
		notes = append(notes, Lack{What: fmt.Sprintf("its pixels of %.3g:1 are written as square ones", a), Of: OddPixels})
	}
	notes = append(notes, s.Color.notes(s.Project)...)
	for i := range notes {
		notes[i].Comp, notes[i].Detail = s.Root.Item, true
	}
	return notes
}

// deep tells whether any of the layers of c that may be seen is a 3D layer.
func (c *Comp) deep() bool {
	return slices.ContainsFunc(c.Shown, func(l *Layer) bool { return l.Joins || l.ThreeD && l.Kind != Camera && l.Kind != Light })
}

// on tells whether a switch of the layer is on at any time.
func (l *Layer) on(path ...string) bool {
	n := eval.NumberOf(l.At(l.Props.Find(path...)), 0)
	return n.Varies() || n.First() != 0
}

// MixesFrames tells whether frame blending would be visible: the source has frames of its own, at other times than the composition's.
func (l *Layer) MixesFrames() bool {
	if l.Source == nil {
		return false
	}
	if f := l.Source.Footage; f != nil {
		if f.Still || !f.HasVideo || f.Kind != aep.FootageFile {
			return false
		}
		return l.Stretch != 100 || l.Remapped || unlike(f.FrameRate, l.Comp.FrameRate)
	}
	return l.Stretch != 100 || l.Remapped
}

// measures tells whether an expression of a layer asks for the size of what is in one.
func (c *Comp) measures() bool {
	if c.asked == nil {
		found := slices.ContainsFunc(c.All, func(l *Layer) bool { return measures(l.Props) })
		c.asked = &found
	}
	return *c.asked
}

func measures(p *aep.Property) bool {
	return eval.Driven(p) && strings.Contains(p.Expression, "sourceRectAtTime") || slices.ContainsFunc(p.Children, measures)
}

// hurries tells whether more than one frame of the source may pass in a frame of the composition.
func (l *Layer) hurries() bool {
	rate := l.Comp.FrameRate
	switch {
	case l.Source.Footage != nil:
		rate = l.Source.Footage.FrameRate
	case l.Source.Comp != nil:
		rate = l.Source.Comp.FrameRate
	}
	stretch := math.Abs(l.Stretch)
	return l.Remapped || stretch > 0 && rate*100/stretch > l.Comp.FrameRate*1.005
}

// Aspect is the width of a pixel divided by its height; files that do not say mean square pixels.
func Aspect(a float64) float64 {
	if a > 0 {
		return a
	}
	return 1
}

// sourceAspect is the aspect of an item's pixels, 0 when it has none.
func sourceAspect(it *aep.Item) float64 {
	switch {
	case it == nil:
	case it.Comp != nil:
		return Aspect(it.Comp.PixelAspect)
	case it.Footage != nil && it.Footage.Width > 0:
		return Aspect(it.Footage.PixelAspect)
	}
	return 0
}

// unlike tells whether two rates or aspects differ by more than their rounding in files.
func unlike(a, b float64) bool { return math.Abs(a-b) > 0.005*math.Max(a, b) }

// styles are the parts of layer styles that are not drawn. On an adjustment layer, which has no picture of its own, none is.
func (l *Layer) styles() {
	set := l.Styles
	if l.Adjustment {
		if set = style.Compile(l.At(l.Props.Child("ADBE Layer Styles"))); set != nil {
			for _, one := range set.On {
				l.lack("layer styles of an adjustment layer", Styled(one))
			}
		}
		return
	}
	if set == nil {
		return
	}
	for _, one := range set.Missing {
		l.lack("layer style '"+one.Name+"'", Styled(one))
	}
	if set.Pattern.Name != "" && !l.layered() {
		l.lack("layer style '"+set.Pattern.Name+"'", Styled(set.Pattern))
	}
	for _, part := range set.Lacks {
		l.detail(part.What, Styled(part.Of))
	}
}

// layered tells whether it shows a layer of a Photoshop file, which has the patterns of its styles.
func (l *Layer) layered() bool {
	return l.Kind == Footage && l.Source != nil && l.Source.Footage.Kind == aep.FootageFile && l.Source.Footage.Layer != ""
}

// flat tells what is not drawn of texts and shapes in space.
func (l *Layer) flat() {
	if !l.ThreeD || !l.Centred() {
		return
	}
	tilted := len(l.Comp.cameras) > 0 || l.on("ADBE Transform Group", "ADBE Rotate X") || l.on("ADBE Transform Group", "ADBE Rotate Y")
	if tilted && !l.InCharacters() && l.MotionBlur && (len(l.Redrawn) > 0 || l.Stirs()) {
		l.lacks = append(l.lacks, Lack{What: "the motion blur of what changes within a text or a shape in space", Of: MotionBlur, Detail: true, Moves: true})
	}
	if l.Kind != Text || l.Glyphs == nil || !l.Glyphs.InSpace() {
		return
	}
	switch {
	case !l.InCharacters():
		l.lack("the depth of characters of a text with masks", DeepCharacters)
	case len(l.Comp.Lamps) > 0 || l.amongOthers() || slices.ContainsFunc(l.Comp.All, (*Layer).focuses):
		l.detail("what light, shadow, focus and other 3D layers make of single characters", DeepCharacters)
	}
}

// amongOthers tells whether other 3D layers are seen in its composition.
func (l *Layer) amongOthers() bool {
	return slices.ContainsFunc(l.Comp.Shown, func(other *Layer) bool {
		return other != l && (other.Joins || other.ThreeD && other.Kind != Camera && other.Kind != Light)
	})
}

// focuses tells whether it is a camera with depth of field.
func (l *Layer) focuses() bool {
	return l.Kind == Camera && l.Enabled && l.on("ADBE Camera Options Group", "ADBE Camera Depth of Field")
}

// solid tells what of a 3D layer is drawn by After Effects' other renderers, and not by Classic 3D.
func (l *Layer) solid() {
	if !l.ThreeD || l.Kind == Camera || l.Kind == Light {
		return
	}
	switch l.Comp.Renderer {
	case "ADBE Picasso", "ADBE Ernst", "ADBE Calder": // Ray-traced, Cinema 4D, Advanced 3D
	default:
		return
	}
	l.detail("another renderer than Classic 3D", DeepLayers)
	if may(eval.NumberOf(l.At(l.Props.Find("ADBE Extrsn Options Group", "ADBE Extrsn Depth")), 0)) {
		l.lack("the depth of a 3D layer that is extruded", DeepLayers)
	}
	if may(eval.NumberOf(l.At(l.Props.Find("ADBE Plane Options Group", "ADBE Plane Curvature")), 0)) {
		l.lack("the curvature of a 3D layer", DeepLayers)
	}
}

// heard tells whether an effect would show the sound of a composition.
func (l *Layer) heard() {
	for _, e := range l.Effects {
		if h, ok := e.Effect.(effect.Hearing); ok {
			if other := l.Comp.Layer(h.Hears()); other != nil && other.Inner != nil {
				l.lack("the sound of composition '"+other.Source.Name+"' in an effect", e.Feature())
			}
		}
	}
}

func (l *Layer) file(bits int) {
	if l.Source == nil || l.Source.Footage.Kind == aep.FootagePlaceholder {
		l.lack("a source without a file", Placeholders)
	} else if l.Source.Footage.Pulldown {
		l.detail("the removal of pulldown", Filed(l.Source))
	}
	if l.Source != nil && bits == 32 && strings.EqualFold(path.Ext(l.Source.FileName()), ".exr") {
		l.detail("what is brighter than white in '"+l.Source.FileName()+"'", Filed(l.Source))
	}
	if l.Source != nil && l.Source.Footage.Kind == aep.FootageFile && undrawn(l.Source.FileName()) {
		l.lack("the vector file '"+l.Source.FileName()+"'", Filed(l.Source))
	}
}

// FileLacks is what of a file is not drawn where a layer uses it. Styles of a layer of Photoshop's are those of the layer that shows it, unless they were
// merged into the file's picture.
func FileLacks(use aep.Use, info footage.Info) (list []Lack) {
	name := use.Item.FileName()
	nearly := func(what string) {
		lack := FileLack(use, what)
		lack.Detail = true
		list = append(list, lack)
	}
	switch {
	case info.Lacks == "":
	case use.Item.Footage.Layer == "":
		list = append(list, FileLack(use, info.Lacks+" in the vector file '"+name+"'"))
	default:
		list = append(list, FileLack(use, info.Lacks+" in the file '"+name+"'"))
	}
	if info.Inks {
		in := " in the file '"
		if info.Outlines {
			in = " in the vector file '"
		}
		nearly("the exact colours of CMYK" + in + name + "'")
	}
	own := eval.Ref{Comp: use.Comp, Layer: use.Layer, Prop: use.Layer.Props.Child("ADBE Layer Styles")}
	set := style.Compile(own)
	if set != nil && set.Pattern.Name != "" && use.Item.Footage.Layer != "" {
		lack := FileLack(use, "layer style '"+set.Pattern.Name+"'")
		if lack.Of = Styled(set.Pattern); info.Patterned {
			lack.What, lack.Detail = "the place where the pattern begins of "+lack.What, true
		}
		list = append(list, lack)
	}
	if ranges := own.Prop.Child("ADBE Blend Options Group").Child("ADBE Adv Blend Group").Child("ADBE Blend Ranges"); info.Ranged && may(eval.NumberOf(eval.Ref{Comp: use.Comp, Layer: use.Layer, Prop: ranges}, 1)) {
		list = append(list, FileLack(use, "the range of values in which a layer blends in the file '"+name+"'"))
	}
	if info.Styled && set == nil {
		nearly("layer styles that are merged into the file '" + name + "'")
	}
	return list
}

// FileLack is that something of a file's type is not drawn where a layer uses the file.
func FileLack(use aep.Use, what string) Lack {
	return Lack{Comp: use.Comp, Layer: use.Layer, What: what, Of: Filed(use.Item)}
}

// Outlines tells by its name whether a file is a picture of outlines that is drawn.
func Outlines(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".ai", ".pdf", ".svg", ".svgz":
		return true
	}
	return false
}

// undrawn tells by its name whether a file is a picture of outlines that nothing here reads.
func undrawn(name string) bool {
	return strings.EqualFold(path.Ext(name), ".eps")
}

// textLacks are the options of texts that are not drawn.
var textLacks = [...]struct {
	option aep.TextOptions
	what   string
}{
	{aep.OpticalKerning, "optical kerning"}, {aep.ManualKerning, "manual kerning"}, {aep.OtherDigits, "digits of another script"},
	{aep.RotatedBaseline, "characters that are turned in vertical lines"}, {aep.JapaneseLeading, "leading from top to top"},
	{aep.RightToLeft, "paragraphs from right to left"}, {aep.Hyphenated, "the division of words at the ends of lines"},
	{aep.NoBreak, "characters that stay on one line"}, {aep.HangingRoman, "punctuation that hangs out of its box"}, {aep.EveryLine, "the Every-Line Composer"},
}

// options are those of a text, at any time, that change how it is set.
func (l *Layer) options() (all aep.TextOptions) {
	add := func(v aep.Value) {
		doc, ok := v.(*aep.TextDocument)
		if !ok || doc == nil {
			return
		}
		options := doc.Options
		if !doc.Box {
			options &^= aep.Hyphenated | aep.NoBreak | aep.HangingRoman | aep.EveryLine
		}
		if doc.Lines == aep.HorizontalLines {
			options &^= aep.RotatedBaseline
		}
		all |= options
	}
	if p := l.Document.Prop(); p != nil {
		add(p.Value)
		for _, k := range p.Keys {
			add(k.Value)
		}
	}
	return all
}

func (l *Layer) text() {
	options := l.options()
	for _, lack := range textLacks {
		if options&lack.option != 0 {
			l.detail(lack.what, Texts)
		}
	}
	if l.Glyphs == nil {
		return
	}
	if doc, ok := l.Document.First().(*aep.TextDocument); ok && doc != nil && doc.Lines != aep.HorizontalLines {
		l.detail("the way of animators, paths and anchors along the lines of vertical text", Animators)
	}
	if l.Glyphs.Resizes() && l.Comp.measures() {
		l.detail("what animators and paths change of the size that an expression asks for", Animators)
	}
	for _, what := range l.Glyphs.Lacks() {
		l.lack(what, Animators)
	}
	for _, what := range l.Glyphs.Nearly() {
		l.detail(what, Animators)
	}
}
