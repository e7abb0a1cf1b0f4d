package text

import (
	"fmt"
	"math"
	"strings"
)

// generic are the families that style sheets name by their kind.
var generic = map[string][]string{
	"serif": serif, "ui-serif": serif, "sans-serif": grotesque, "system-ui": grotesque, "ui-sans-serif": grotesque, "monospace": mono, "ui-monospace": mono,
	"cursive": sans, "fantasy": sans,
}

// Generic tells whether a family is named by the kind of its letters, so that any font of that kind will do.
func Generic(family string) bool { return generic[strings.ToLower(family)] != nil }

// Styled is the name of the font, for a document, that is most like a style in the first of some families that is here. Families are named as style
// sheets do, also by the kind of their letters such as "serif", and as Illustrator does, by the font itself. The weight is 100 to 950, 400 for regular.
// When none of them is here, the name is that of the first family, and what stands in for it is told as for any document.
func (b *Book) Styled(families []string, weight float64, italic bool) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	want, missing := look{weight: weight, italic: italic}, ""
	for _, family := range families {
		kind := generic[strings.ToLower(family)]
		switch {
		case kind != nil && missing == "":
			return b.kindOf(kind, want)
		case kind != nil:
			return b.missing(missing, kind, want)
		}
		if e := b.styled(family, want); e != nil {
			return e.unique()
		}
		if missing == "" {
			missing = family
		}
	}
	if missing == "" { // as browsers have it
		return b.kindOf(serif, want)
	}
	return b.missing(missing, nil, want)
}

// unique is a name by which an index finds the font.
func (e *entry) unique() string {
	if e.postScript != "" {
		return e.postScript
	}
	return e.name()
}

// styled is the font of a family that is most like a style, or the font of that name; nil when there is neither. The book is locked.
func (b *Book) styled(family string, want look) *entry {
	_, own := parseName(family)
	want.narrow = own.narrow
	for _, x := range []*index{b.own, b.machine()} {
		if e := x.nearest(key(family), want); e != nil {
			return e
		}
		if e := x.find(family); e != nil {
			return e
		}
	}
	return nil
}

// kindOf is the name of a font of the first family of a list that is here. The book is locked.
func (b *Book) kindOf(list []string, want look) string {
	for _, family := range append(append([]string(nil), list...), sans...) {
		if e := b.styled(family, want); e != nil {
			return e.unique()
		}
	}
	return ""
}

// missing is the name of a style of a family that is not here. One of the families of list, if there is any, stands in for it. The book is locked.
func (b *Book) missing(family string, list []string, want look) string {
	name := family
	if !strings.Contains(name, "-") {
		name = strings.TrimSpace(name + " " + styleName(want))
	}
	if _, known := b.asked[name]; known || list == nil || alike[key(family)] != nil || twinsOf(key(family)) != nil {
		return name
	}
	for _, f := range list {
		if e := b.styled(f, want); e != nil {
			if tf := b.load(e); tf != nil {
				b.asked[name] = match{tf, fit(key(family), e)}
				b.replacedBy(name, tf)
				break
			}
		}
	}
	return name
}

// replacedBy tells that a font stands in for another one. The book is locked.
func (b *Book) replacedBy(name string, tf *typeface) {
	b.note(name, fmt.Sprintf("font '%s' is not installed: drawn with '%s'", name, tf.name))
}

// styleName is the name of a style, such as "Bold Italic"; "" for the regular one.
func styleName(l look) string {
	names := [...]string{"Thin", "ExtraLight", "Light", "", "Medium", "SemiBold", "Bold", "ExtraBold", "Black"}
	name := names[int(max(1, min(9, math.Round(l.weight/100))))-1]
	if l.italic {
		name += " Italic"
	}
	return strings.TrimSpace(name)
}

// Metrics are heights of a font in ems.
type Metrics struct {
	Ascent, Descent float64 // of its lines, above and below the baseline, both positive
	XHeight         float64 // of the letter x
}

// Metrics are those of the font that is drawn for a name.
func (b *Book) Metrics(name string) (Metrics, error) {
	found, err := b.match(name)
	if err != nil {
		return Metrics{}, err
	}
	return found.metrics, nil
}
