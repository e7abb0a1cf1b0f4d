package variants

import (
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/farm/names"
)

// Template is what the columns of a table can refer to.
type Template struct {
	Composition  string // to render; "" when the template has only one to render
	Compositions []Composition
	Layers       []Layer
	Fields       []Field // of the panel of a mogrt
}

// Composition is a composition of a template.
type Composition struct {
	ID   uint32
	Name string
	Root bool // not used as a layer anywhere
}

// Layer is a layer of one of the template's compositions.
type Layer struct {
	Composition uint32 // its id
	Name        string
	Type        string // text, av, shape, null, camera, light
	Media       string // of a file: image, video, audio or data
}

// Field is a field of the panel of a mogrt.
type Field struct {
	Name string
	Type string
}

// Kind is what the cells of a column set.
type Kind int

// The kinds of columns.
const (
	LeftOut   Kind = iota
	Words          // of a text layer
	Media          // the file of a layer: a picture, a film or a sound
	Property       // of a layer
	Essential      // a field of the panel
	Option         // a property of the job, such as its name
)

// Column is what a column of a table sets.
type Column struct {
	Heading  string // in the table
	About    string // as a heading would name it; "" for a column that is left out
	Kind     Kind
	Name     string   // of the layer, the field or the option
	Property string   // of Property
	Shows    string   // of Media: what the layer shows now: image, video or audio, "" when unknown
	Type     string   // of Essential: the type of the field
	Err      error    // why the heading names nothing
	Near     []string // with Err: what it may be a misspelling of, the likeliest first
}

// optionMark begins the headings of columns that set a property of the job rather than of a layer.
const optionMark = "@"

// commentMark begins the headings of columns that are notes for people.
const commentMark = "#"

// Columns finds what each column of a table sets. mapping, by heading, gives it for headings that do not name it:
// "layer", "layer:property", "@option", or "" to leave the column out.
func (t Template) Columns(headings []string, mapping map[string]string) []Column {
	out := make([]Column, len(headings))
	for i, heading := range headings {
		about, mapped := mapping[heading]
		if !mapped {
			about = heading
		}
		column, err := t.find(about)
		if err != nil {
			column.Err, column.Near = err, t.near(about)
		}
		column.Heading = heading
		out[i] = column
	}
	return out
}

// Choices are what a column can set without naming a property: the fields of the panel, the layers with text or a file,
// those of the rendered composition first, and the options.
func (t Template) Choices() []Column {
	var out []Column
	for _, about := range append(t.known(), t.options()...) {
		if c, err := t.find(about); err == nil && c.Kind != LeftOut {
			out = append(out, c)
		}
	}
	return out
}

func (t Template) options() []string {
	out := make([]string, len(optionNames))
	for i, name := range optionNames {
		out[i] = optionMark + name
	}
	return out
}

// find finds what a heading, or the right side of a mapping, names.
func (t Template) find(heading string) (Column, error) {
	if heading == "" {
		return Column{}, nil
	}
	for _, f := range t.Fields {
		if strings.EqualFold(f.Name, heading) {
			return Column{About: f.Name, Kind: Essential, Name: f.Name, Type: f.Type}, nil
		}
	}
	option, isOption := strings.CutPrefix(heading, optionMark)
	if isOption && slices.Contains(optionNames, option) {
		return Column{About: heading, Kind: Option, Name: option}, nil
	}
	if layer, ok := t.layer(heading); ok {
		return content(layer)
	}
	if column, ok := t.property(heading); ok {
		return column, nil
	}
	if strings.HasPrefix(heading, commentMark) {
		return Column{}, nil
	}
	if isOption {
		return Column{}, farm.Errorf(farm.CodeInvalid, "a job has no '%s': %s", heading, farm.AsIs(names.DidYouMean(option, optionNames)))
	}
	wanted, _, _ := strings.Cut(heading, ":")
	return Column{}, farm.Errorf(farm.CodeInvalid, "the template has no layer '%s': %s", wanted, farm.AsIs(names.DidYouMean(wanted, t.known())))
}

// property reads "layer:property". The name of a layer may itself contain colons: the longest that names one counts.
func (t Template) property(heading string) (Column, bool) {
	for i := len(heading) - 1; i > 0; i-- {
		if heading[i] != ':' {
			continue
		}
		layer, ok := t.layer(strings.TrimSpace(heading[:i]))
		property := strings.TrimSpace(heading[i+1:])
		if ok && property != "" {
			return Column{About: layer.Name + ":" + property, Kind: Property, Name: layer.Name, Property: property}, true
		}
	}
	return Column{}, false
}

// content is what the cells of a column set that names a layer and no property.
func content(layer Layer) (Column, error) {
	switch layer.Type {
	case "text":
		return Column{About: layer.Name, Kind: Words, Name: layer.Name}, nil
	case "av":
		return Column{About: layer.Name, Kind: Media, Name: layer.Name, Shows: layer.Media}, nil
	}
	return Column{}, farm.Errorf(farm.CodeInvalid, "'%s' is a %s layer, which has neither text nor a file; name one of its properties, such as '%s:Transform.Opacity'",
		layer.Name, layer.Type, layer.Name)
}

// near are the headings that one which names nothing may be a misspelling of.
func (t Template) near(heading string) []string {
	if option, ok := strings.CutPrefix(heading, optionMark); ok {
		near := names.Near(option, optionNames)
		for i := range near {
			near[i] = optionMark + near[i]
		}
		return near
	}
	for _, option := range optionNames {
		if strings.EqualFold(strings.TrimSpace(heading), option) {
			return []string{optionMark + option} // a layer of that name would have been found before
		}
	}
	wanted, property, isProperty := strings.Cut(heading, ":")
	near := names.Near(strings.TrimSpace(wanted), t.known())
	var out []string
	for _, name := range near {
		if isProperty {
			name += ":" + strings.TrimSpace(property)
		}
		if _, err := t.find(name); err == nil {
			out = append(out, name)
		}
	}
	return out
}

// layer finds a layer by its name, ignoring case, first in the composition that is rendered.
func (t Template) layer(name string) (Layer, bool) {
	var found Layer
	ok := false
	for _, l := range t.Layers {
		if !strings.EqualFold(strings.TrimSpace(l.Name), name) {
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

func (t Template) inRendered(l Layer) bool {
	for _, c := range t.Compositions {
		if c.ID == l.Composition {
			return c.Name == t.Composition || t.Composition == "" && c.Root
		}
	}
	return false
}

// known are the names that a column may have.
func (t Template) known() []string {
	var out []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
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
