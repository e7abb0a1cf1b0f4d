package aep

import (
	"fmt"
	"slices"
	"strconv"
)

// Change is something that differs between two projects.
type Change struct {
	Kind string // composition, layer, field, font or footage
	In   string // the composition of a layer or a field
	Name string
	How  string // added, removed or changed
	What Trait  // that changed; "" for what was added or removed
	// Was and Now are what it was and is: a size in pixels ("1920 × 1080"), seconds ("6.00"), frames a second ("25"), a type, the name of a source;
	// "" where the trait says it all.
	Was, Now string
}

// A Trait is what differs in something that changed.
type Trait string

// What can differ.
const (
	TraitSize      Trait = "size"
	TraitDuration  Trait = "duration"
	TraitFrameRate Trait = "frame rate"
	TraitType      Trait = "type"
	TraitText      Trait = "text"
	TraitSource    Trait = "source"
	TraitOn        Trait = "on"  // it was switched on
	TraitOff       Trait = "off" // it was switched off
	TraitTime      Trait = "time"
	TraitFonts     Trait = "fonts"
	TraitLeft      Trait = "left"    // footage that no longer comes with the project
	TraitArrived   Trait = "arrived" // footage that comes with the project now
)

// How something differs.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// mostChanges bounds how many changes are named.
const mostChanges = 500

// Compare names what differs between what was read of two files of a template: compositions first, each with its layers and the fields of
// its panel, then fonts and footage. Things are told apart by their names, those of the same name by their order.
func Compare(before, after *Summary) []Change {
	c := changeList{}
	compositions := func(s *Summary) (names []string, byName map[string]CompositionSummary) {
		return byNames(s.Compositions, func(one CompositionSummary) string { return one.Name })
	}
	names, was := compositions(before)
	namesNow, is := compositions(after)
	c.each("composition", "", names, namesNow, func(name string) difference {
		return c.compareComposition(was[name], is[name])
	})
	fonts := func(s *Summary) []string {
		list, _ := byNames(s.Fonts, func(f FontSummary) string { return f.PostScript })
		return list
	}
	c.each("font", "", fonts(before), fonts(after), func(string) difference { return difference{} })
	footage := func(s *Summary) (names []string, byName map[string]FootageSummary) {
		return byNames(s.Footage, func(f FootageSummary) string { return f.Path })
	}
	files, filesWas := footage(before)
	filesNow, filesAre := footage(after)
	c.each("footage", "", files, filesNow, func(name string) difference {
		switch a, b := filesWas[name], filesAre[name]; {
		case a.Present && !b.Present:
			return difference{what: TraitLeft}
		case !a.Present && b.Present:
			return difference{what: TraitArrived}
		}
		return difference{}
	})
	return c.all
}

// difference is in what two things differ; the zero value is for in nothing.
type difference struct {
	what     Trait
	was, now string
}

// changeList gathers changes.
type changeList struct{ all []Change }

func (c *changeList) add(change Change) {
	if len(c.all) < mostChanges {
		c.all = append(c.all, change)
	}
}

// each compares things by their names; differs says in what one of both differs.
func (c *changeList) each(kind, in string, before, after []string, differs func(name string) difference) {
	for _, name := range after {
		if !slices.Contains(before, name) {
			c.add(Change{Kind: kind, In: in, Name: name, How: Added})
			continue
		}
		if d := differs(name); d.what != "" {
			c.add(Change{Kind: kind, In: in, Name: name, How: Changed, What: d.what, Was: d.was, Now: d.now})
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			c.add(Change{Kind: kind, In: in, Name: name, How: Removed})
		}
	}
}

// compareComposition compares what is in two compositions, and says in what they themselves differ.
func (c *changeList) compareComposition(a, b CompositionSummary) difference {
	layers, layersWere := byNames(a.Layers, func(l LayerSummary) string { return l.Name })
	layersNow, layersAre := byNames(b.Layers, func(l LayerSummary) string { return l.Name })
	c.each("layer", b.Name, layers, layersNow, func(name string) difference { return layerDiffers(layersWere[name], layersAre[name]) })
	fields, fieldsWere := byNames(a.Essential, func(f EssentialSummary) string { return f.Name })
	fieldsNow, fieldsAre := byNames(b.Essential, func(f EssentialSummary) string { return f.Name })
	c.each("field", b.Name, fields, fieldsNow, func(name string) difference {
		if x, y := fieldsWere[name].Type, fieldsAre[name].Type; x != y {
			return difference{TraitType, x, y}
		}
		return difference{}
	})
	size := func(c CompositionSummary) string { return fmt.Sprintf("%d × %d", c.Width, c.Height) }
	switch {
	case size(a) != size(b):
		return difference{TraitSize, size(a), size(b)}
	case a.Duration != b.Duration:
		return difference{TraitDuration, fmt.Sprintf("%.2f", a.Duration), fmt.Sprintf("%.2f", b.Duration)}
	case a.FrameRate != b.FrameRate:
		return difference{TraitFrameRate, fmt.Sprintf("%.3g", a.FrameRate), fmt.Sprintf("%.3g", b.FrameRate)}
	}
	return difference{}
}

func layerDiffers(a, b LayerSummary) difference {
	switch {
	case a.Type != b.Type:
		return difference{TraitType, a.Type, b.Type}
	case a.Text != b.Text:
		return difference{what: TraitText}
	case a.SourceName != b.SourceName:
		return difference{TraitSource, a.SourceName, b.SourceName}
	case a.Enabled != b.Enabled:
		return difference{what: map[bool]Trait{true: TraitOn, false: TraitOff}[b.Enabled]}
	case a.In != b.In || a.Out != b.Out:
		return difference{what: TraitTime}
	case !slices.Equal(a.Fonts, b.Fonts):
		return difference{what: TraitFonts}
	}
	return difference{}
}

// byNames gives things by their names, the second of a name with its number.
func byNames[T any](list []T, name func(T) string) (names []string, byName map[string]T) {
	byName = make(map[string]T, len(list))
	for _, one := range list {
		n := name(one)
		for i := 2; ; i++ {
			if _, taken := byName[n]; !taken {
				break
			}
			n = name(one) + " (" + strconv.Itoa(i) + ")"
		}
		names, byName[n] = append(names, n), one
	}
	return names, byName
}
