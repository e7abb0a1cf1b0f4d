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
	What string // that changed, in a few words; "" for what was added or removed
}

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
	c.each("composition", "", names, namesNow, func(name string) string {
		return c.compareComposition(was[name], is[name])
	})
	fonts := func(s *Summary) []string {
		list, _ := byNames(s.Fonts, func(f FontSummary) string { return f.PostScript })
		return list
	}
	c.each("font", "", fonts(before), fonts(after), func(string) string { return "" })
	footage := func(s *Summary) (names []string, byName map[string]FootageSummary) {
		return byNames(s.Footage, func(f FootageSummary) string { return f.Path })
	}
	files, filesWas := footage(before)
	filesNow, filesAre := footage(after)
	c.each("footage", "", files, filesNow, func(name string) string {
		switch a, b := filesWas[name], filesAre[name]; {
		case a.Present && !b.Present:
			return "no longer comes with the template"
		case !a.Present && b.Present:
			return "comes with the template now"
		}
		return ""
	})
	return c.all
}

// changeList gathers changes.
type changeList struct{ all []Change }

func (c *changeList) add(change Change) {
	if len(c.all) < mostChanges {
		c.all = append(c.all, change)
	}
}

// each compares things by their names; differs says in what one of both differs, "" in nothing.
func (c *changeList) each(kind, in string, before, after []string, differs func(name string) string) {
	for _, name := range after {
		if !slices.Contains(before, name) {
			c.add(Change{Kind: kind, In: in, Name: name, How: Added})
			continue
		}
		if what := differs(name); what != "" {
			c.add(Change{Kind: kind, In: in, Name: name, How: Changed, What: what})
		}
	}
	for _, name := range before {
		if !slices.Contains(after, name) {
			c.add(Change{Kind: kind, In: in, Name: name, How: Removed})
		}
	}
}

// compareComposition compares what is in two compositions, and says in what they themselves differ.
func (c *changeList) compareComposition(a, b CompositionSummary) string {
	layers, layersWere := byNames(a.Layers, func(l LayerSummary) string { return l.Name })
	layersNow, layersAre := byNames(b.Layers, func(l LayerSummary) string { return l.Name })
	c.each("layer", b.Name, layers, layersNow, func(name string) string { return layerDiffers(layersWere[name], layersAre[name]) })
	fields, fieldsWere := byNames(a.Essential, func(f EssentialSummary) string { return f.Name })
	fieldsNow, fieldsAre := byNames(b.Essential, func(f EssentialSummary) string { return f.Name })
	c.each("field", b.Name, fields, fieldsNow, func(name string) string {
		if x, y := fieldsWere[name].Type, fieldsAre[name].Type; x != y {
			return x + ", now " + y
		}
		return ""
	})
	switch {
	case a.Width != b.Width || a.Height != b.Height:
		return fmt.Sprintf("%d × %d, now %d × %d", a.Width, a.Height, b.Width, b.Height)
	case a.Duration != b.Duration:
		return fmt.Sprintf("%.2f s, now %.2f s", a.Duration, b.Duration)
	case a.FrameRate != b.FrameRate:
		return fmt.Sprintf("%.3g frames/s, now %.3g", a.FrameRate, b.FrameRate)
	}
	return ""
}

func layerDiffers(a, b LayerSummary) string {
	switch {
	case a.Type != b.Type:
		return a.Type + ", now " + b.Type
	case a.Text != b.Text:
		return "its words"
	case a.SourceName != b.SourceName:
		return "shows " + strconv.Quote(b.SourceName) + " instead of " + strconv.Quote(a.SourceName)
	case a.Enabled != b.Enabled:
		return map[bool]string{true: "switched on", false: "switched off"}[b.Enabled]
	case a.In != b.In || a.Out != b.Out:
		return "its time"
	case !slices.Equal(a.Fonts, b.Fonts):
		return "its fonts"
	}
	return ""
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
