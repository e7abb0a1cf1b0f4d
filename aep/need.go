package aep

import (
	"path"
	"strconv"
	"strings"
)

// NeedKind is a kind of feature.
type NeedKind string

// The kinds of features, in the order in which they are told.
const (
	NeedEffect     NeedKind = "effect"
	NeedLayer      NeedKind = "layer"      // a kind of layer, or what one is drawn as
	NeedText       NeedKind = "text"       // what changes the glyphs of a text one by one
	NeedStyle      NeedKind = "style"      // a layer style
	NeedMask       NeedKind = "mask"       // masks of layers
	NeedMatte      NeedKind = "matte"      // a track matte
	NeedBlend      NeedKind = "blend"      // a blend mode other than Normal
	NeedTime       NeedKind = "time"       // motion blur, frame blending, time remapping
	NeedExpression NeedKind = "expression" // expressions, and the controls that they read
	NeedSound      NeedKind = "sound"
	NeedFootage    NeedKind = "footage" // a type of files
	NeedPicture    NeedKind = "picture" // more than 8 bits, linear light, pixels that are not square
	NeedProfile    NeedKind = "profile" // a working space
)

// NeedKinds are all kinds, in their order.
func NeedKinds() []NeedKind {
	return []NeedKind{NeedEffect, NeedLayer, NeedText, NeedStyle, NeedMask, NeedMatte, NeedBlend, NeedTime, NeedExpression, NeedSound, NeedFootage, NeedPicture, NeedProfile}
}

// Need is a feature of After Effects that a composition uses, itself or in those that it shows, and how near to After Effects' picture the
// embedded engine draws it. That a file is missing is no matter of its type: it is a Finding.
type Need struct {
	Kind  NeedKind `json:"kind"`
	Name  string   `json:"name"`            // in After Effects' words where it has one: "Gaussian Blur", "Screen", "PNG"; else what it is: "3D layers"
	Match string   `json:"match,omitempty"` // match name of an effect or a layer style
	// Count is on how many layers it is used; of files for footage, of expressions for these. It is 0 for what holds for the whole picture.
	Count int     `json:"count"`
	Drawn Verdict `json:"drawn"`
}

// Subject is the feature in a few words, such as "effect 'Gaussian Blur'".
func (n Need) Subject() string {
	var kind string
	switch n.Kind {
	case NeedEffect:
		kind = "effect"
	case NeedFootage:
		kind = "files of type"
	case NeedStyle:
		kind = "layer style"
	case NeedMatte:
		kind = "track matte"
	case NeedBlend:
		kind = "blend mode"
	case NeedProfile:
		kind = "working space"
	case NeedLayer, NeedText, NeedMask, NeedTime, NeedExpression, NeedSound, NeedPicture:
		return n.Name
	}
	return kind + " '" + n.Name + "'"
}

// Words is Subject with how often the feature is used, if more than once.
func (n Need) Words() string {
	if n.Count > 1 {
		return n.Subject() + " × " + strconv.Itoa(n.Count)
	}
	return n.Subject()
}

// Verdicts are all verdicts, the worst first.
func Verdicts() []Verdict { return []Verdict{DrawsNot, DrawsNearly, DrawsExactly} }

// Drawn are the features of a forecast that are drawn as a verdict says.
func (f Forecast) Drawn(v Verdict) (list []Need) {
	for _, n := range f.Needs {
		if n.Drawn == v {
			list = append(list, n)
		}
	}
	return list
}

// longestType is how many bytes the ending of a file's name may have to say its type.
const longestType = 5

// FileType says by its name what type of file a footage item is, such as "PNG", or "PNG sequence" for numbered pictures. It is "other" when
// the name does not say.
func (it *Item) FileType() string {
	name := it.FileName()
	sequence := it.Footage != nil && it.Footage.Sequence
	if sequence && path.Ext(it.Name) != "" {
		name = it.Name // the reference names their folder
	}
	kind := strings.ToUpper(strings.TrimPrefix(path.Ext(name), "."))
	letter := func(r rune) bool { return r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }
	if kind == "" || len(kind) > longestType || strings.ContainsFunc(kind, func(r rune) bool { return !letter(r) }) {
		kind = "other"
	}
	if sequence {
		return kind + " sequence"
	}
	return kind
}
