package variants

import (
	"fmt"
	"slices"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/names"
)

// Template is what a table's columns can be about.
type Template struct {
	Type         string // aep, zip or mogrt
	Composition  string // that is rendered; "" where the template has only one to render
	Compositions []client.Composition
	Layers       []client.Layer
	Fields       []client.Field // of the panel of a mogrt
}

// use is what a column's cells become.
type use int

const (
	useNothing   use = iota
	useText          // the words of a text layer
	useFile          // the file of a layer: a picture, a film or a sound
	useData          // a property of a layer
	useEssential     // a field of the panel
	useOption        // a property of the job, such as its name
)

// target is what a column is about.
type target struct {
	column   string
	use      use
	name     string // of the layer, the field or the option
	property string // of useData
	media    string // of useFile: what the layer shows now, "" when that is not known
	typ      string // of useEssential: the field's
}

// optionMark begins the headings of columns that are about the job and not about a layer.
const optionMark = "@"

// commentMark begins the headings of columns that are for people only.
const commentMark = "#"

// find settles what a heading, or the right side of a mapping, is about.
func (t Template) find(heading string) (target, error) {
	if heading == "" || strings.HasPrefix(heading, commentMark) {
		return target{}, nil
	}
	if option, ok := strings.CutPrefix(heading, optionMark); ok {
		if !slices.Contains(optionNames, option) {
			return target{}, fmt.Errorf("a job has no '%s': %s", heading, names.DidYouMean(option, optionNames))
		}
		return target{use: useOption, name: option}, nil
	}
	for _, f := range t.Fields {
		if strings.EqualFold(f.Name, heading) {
			return target{use: useEssential, name: f.Name, typ: f.Type}, nil
		}
	}
	if layer, ok := t.layer(heading); ok {
		return content(layer)
	}
	// A layer's name may hold colons itself: the longest that is one counts.
	for i := len(heading) - 1; i > 0; i-- {
		if heading[i] != ':' {
			continue
		}
		layer, ok := t.layer(strings.TrimSpace(heading[:i]))
		property := strings.TrimSpace(heading[i+1:])
		if ok && property != "" {
			return target{use: useData, name: layer.Name, property: property}, nil
		}
	}
	wanted, _, _ := strings.Cut(heading, ":")
	return target{}, fmt.Errorf("the template has no layer '%s': %s", wanted, names.DidYouMean(wanted, t.known()))
}

// content is what the cells of a column that names just a layer become.
func content(layer client.Layer) (target, error) {
	switch layer.LayerType {
	case "text":
		return target{use: useText, name: layer.Name}, nil
	case "av":
		return target{use: useFile, name: layer.Name, media: layer.Data.Media}, nil
	}
	return target{}, fmt.Errorf("'%s' is a %s layer, which holds neither words nor a file; name one of its properties, such as '%s:Transform.Opacity'",
		layer.Name, layer.LayerType, layer.Name)
}

// layer finds a layer by its name whatever its case, first in the composition that is rendered.
func (t Template) layer(name string) (client.Layer, bool) {
	var found client.Layer
	ok := false
	for _, l := range t.Layers {
		if !strings.EqualFold(l.Name, name) {
			continue
		}
		if t.inRendered(l) {
			return l, true
		}
		if !ok {
			found, ok = l, true
		}
	}
	return found, ok
}

func (t Template) inRendered(l client.Layer) bool {
	id := fmt.Sprint(l.CompositionID)
	for _, c := range t.Compositions {
		if c.AEID == id {
			return c.Name == t.Composition || t.Composition == "" && c.Data.Root
		}
	}
	return false
}

// known are the names that a column may have.
func (t Template) known() []string {
	var out []string
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, f := range t.Fields {
		add(f.Name)
	}
	for _, rendered := range []bool{true, false} {
		for _, l := range t.Layers {
			if t.inRendered(l) == rendered {
				add(l.Name)
			}
		}
	}
	return out
}
