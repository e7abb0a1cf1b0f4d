package aep

import "strings"

// EssentialSummary is one field of a composition's Essential Graphics panel, with what it drives.
type EssentialSummary struct {
	Name  string `json:"name"`
	Type  string `json:"type"`            // as MogrtFieldSummary has it
	Group string `json:"group,omitempty"` // of the panel that the field stands in
	// Value is a bool, a float64, numbers, or words; nil for media. A dropdown counts from 1, a colour is RGBA from 0 to 1.
	Value   any      `json:"value,omitempty"`
	Min     *float64 `json:"min,omitempty"`
	Max     *float64 `json:"max,omitempty"`
	Options []string `json:"options,omitempty"`
	Comp    uint32   `json:"comp,omitempty"`  // id of the composition that holds the layer
	Layer   uint32   `json:"layer,omitempty"` // id of the layer that is driven
	Words   bool     `json:"words,omitempty"` // the text of that layer is what is driven
}

// ControlSummary is an expression control of a layer: an effect that only holds a value, which expressions read.
type ControlSummary struct {
	Name     string   `json:"name"`     // of the effect
	Property string   `json:"property"` // path to its value, as assets of the type data take it
	Type     string   `json:"type"`     // slider, angle, checkbox, color, point or dropdown
	Value    any      `json:"value,omitempty"`
	Options  []string `json:"options,omitempty"`
}

// mostFields bounds how many fields of a panel, or controls of a layer, a summary names.
const mostFields = 500

// essentials are the fields of a composition's panel in its order, without the groups, which name themselves at their members.
func (c *Composition) essentials() []EssentialSummary {
	groups := map[string]string{} // by the id, or the name, of a member
	for _, field := range c.Controllers {
		if field.Type == fieldGroup {
			for _, member := range field.Options {
				groups[member] = field.Name
			}
		}
	}
	var out []EssentialSummary
	for _, field := range c.Controllers[:min(len(c.Controllers), mostFields)] {
		if field.Type == fieldGroup || field.Name == "" {
			continue
		}
		s := EssentialSummary{Name: field.Name, Type: fieldWord(field.Type), Value: field.Value, Options: field.Options, Comp: field.Comp, Layer: field.Layer, Group: groups[field.ID]}
		if s.Group == "" {
			s.Group = groups[field.Name]
		}
		if field.Min < field.Max {
			least, most := field.Min, field.Max
			s.Min, s.Max = &least, &most
		}
		s.Words = len(field.Path) > 0 && field.Path[len(field.Path)-1] == matchDocument
		out = append(out, s)
	}
	return out
}

// withWords takes from a mogrt's definition what people read there: the words, the ranges and the groups, which older projects keep
// differently.
func (c *CompositionSummary) withWords(d *Definition) {
	groups := map[string]string{}
	byName := map[string]DefinitionField{}
	names := map[string]string{}
	for _, f := range d.Fields {
		names[f.ID] = f.Name
		byName[f.Name] = f
	}
	for _, f := range d.Fields {
		members, _ := f.Value.([]string)
		for _, id := range members {
			groups[names[id]] = f.Name
		}
	}
	for i := range c.Essential {
		e := &c.Essential[i]
		f, known := byName[e.Name]
		if !known || fieldWord(f.Type) != e.Type {
			continue
		}
		if f.Value != nil {
			e.Value = f.Value
		}
		if f.Min != nil && f.Max != nil {
			e.Min, e.Max = f.Min, f.Max
		}
		if len(f.Options) > 0 {
			e.Options = f.Options
		}
		if group := groups[e.Name]; group != "" {
			e.Group = group
		}
	}
}

// controlKind is an effect that holds a value: its type, and the value of one that has never been changed, which files leave out.
type controlKind struct {
	word  string
	start any
}

var controlKinds = map[string]controlKind{
	"ADBE Slider Control":   {"slider", 0.0},
	"ADBE Angle Control":    {"angle", 0.0},
	"ADBE Checkbox Control": {"checkbox", false},
	"ADBE Color Control":    {"color", []float64{1, 0, 0, 1}},
	"ADBE Point Control":    {"point", nil},
	"ADBE Dropdown Control": {"dropdown", nil},
}

// controls are the expression controls of a layer that have one value: one that moves by keyframes, or follows an expression, is no input.
func (l *Layer) controls() []ControlSummary {
	effects := l.Props.Find("ADBE Effect Parade")
	if effects == nil {
		return nil
	}
	var out []ControlSummary
	seen := map[string]bool{}
	for _, effect := range effects.Children {
		// The menus of dropdowns are effects of their own, named Pseudo/ and a number.
		kind, known := controlKinds[effect.Match]
		if !known && strings.HasPrefix(effect.Match, "Pseudo/@@") && len(effect.Children) > 0 && len(effect.Children[0].Choices) > 0 {
			kind, known = controlKinds["ADBE Dropdown Control"], true
		}
		if !known || seen[effect.Name] || effect.Name == "" || strings.Contains(effect.Name, "->") || len(out) == mostFields {
			continue
		}
		seen[effect.Name] = true
		if c, ok := effect.control(kind); ok {
			out = append(out, c)
		}
	}
	return out
}

func (p *Property) control(kind controlKind) (ControlSummary, bool) {
	match := p.Match + "-0001"
	c := ControlSummary{Name: p.Name, Property: "Effects->" + p.Name + "->" + match, Type: kind.word, Value: kind.start}
	value := p.Child(match)
	if value == nil {
		return c, c.Value != nil
	}
	numbers, ok := value.Value.(Numbers)
	if !ok || len(numbers) == 0 || len(value.Keys) > 0 || value.ExpressionOn {
		return c, false
	}
	switch kind.word {
	case "checkbox":
		c.Value = numbers[0] != 0
	case "color", "point":
		c.Value = []float64(numbers)
	case "dropdown":
		c.Value, c.Options = numbers[0], value.Choices
		return c, len(c.Options) > 0
	default:
		c.Value = numbers[0]
	}
	return c, true
}
