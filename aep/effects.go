package aep

import (
	"slices"
	"strings"

	"overcrank/aep/rifx"
)

// paramKind is a kind of effect parameter, as "pard" chunks number them.
type paramKind uint8

const (
	paramLayer    paramKind = 0
	paramInteger  paramKind = 1
	paramScalar   paramKind = 2
	paramAngle    paramKind = 3
	paramCheckbox paramKind = 4
	paramColor    paramKind = 5
	paramPoint    paramKind = 6
	paramPopup    paramKind = 7
	paramSlider   paramKind = 10
	paramMask     paramKind = 12
	paramGroupEnd paramKind = 14
	paramNothing  paramKind = 15
	paramPoint3D  paramKind = 18
)

// Offsets in the "pard" chunk that describes a parameter. Each kind has its default at its own offset; the value last
// used, which is also there, says nothing about layers.
const (
	pardKind         = 15 // u8
	pardName         = 16 // 32 bytes
	pardNameLength   = 32
	pardCheckbox     = 60  // u8
	pardColor        = 60  // ARGB, u8 each
	pardAngle        = 60  // s32, in degrees or in 1/65536 of them
	pardPopup        = 62  // u16, 1-based
	pardPoint        = 68  // two s32, in 1/65536 of a percent of the source
	pardPoint3D      = 80  // three f64, in percent of the source
	pardSlider       = 120 // f32
	pardScalar       = 140 // s32, in 1/65536; integers are stored as they are
	pardWholeDegrees = 1 << 16
)

// effectDefinition is a file's description of an effect: its name and all its parameters, including those that layers
// leave out because they have their default values.
type effectDefinition struct {
	match  string
	name   string
	params []parameter
}

type parameter struct {
	match   string
	name    string
	kind    paramKind
	def     Value // in the units of the file
	choices []string
}

func (d *effectDefinition) param(match string) *parameter {
	if d == nil {
		return nil
	}
	for i := range d.params {
		if d.params[i].match == match {
			return &d.params[i]
		}
	}
	return nil
}

func (d *effectDefinition) kind(match string) (paramKind, bool) {
	if p := d.param(match); p != nil {
		return p.kind, true
	}
	return 0, false
}

// EffectName is the name of the effect with a match name, in the language of the After Effects that saved the project; "" when the file does
// not say.
func (p *Project) EffectName(match string) string {
	if d := p.effects[match]; d != nil {
		return d.name
	}
	return ""
}

// effectDefinitions reads the definitions that newer files store in one place.
func (r *reader) effectDefinitions(list *rifx.Chunk) {
	if list == nil {
		return
	}
	for i := range list.Children {
		c := &list.Children[i]
		if name := c.Find("tdmn"); c.ID == "EfDf" && name != nil {
			r.defineEffect(r.string(body(name.Data).cstring(0, len(name.Data))), c.Find("sspc"))
		}
	}
}

// defineEffect reads the definition from an effect's chunks, if it is there: of several uses of an effect, only the
// first contains it.
func (r *reader) defineEffect(match string, c *rifx.Chunk) *effectDefinition {
	d := r.project.effects[match]
	if d == nil {
		d = &effectDefinition{match: match}
		r.project.effects[match] = d
	}
	if d.name == "" {
		d.name = r.text(c.Find("fnam"))
	}
	if len(d.params) > 0 {
		return d
	}
	list := c.Find("parT")
	if list == nil {
		return d
	}
	var name string
	for i := range list.Children {
		ch := &list.Children[i]
		switch ch.ID {
		case "tdmn":
			name = r.string(body(ch.Data).cstring(0, len(ch.Data)))
		case "pard":
			d.params = append(d.params, r.parameter(name, ch.Data))
		case "pdnm":
			if n := len(d.params); n > 0 {
				labelParameter(&d.params[n-1], r.text(ch))
			}
		}
	}
	return d
}

func (r *reader) parameter(match string, b body) parameter {
	p := parameter{
		match: match,
		name:  r.string(b.cstring(pardName, pardNameLength)),
		kind:  paramKind(b.u8(pardKind)),
	}
	switch p.kind {
	case paramInteger:
		p.def = Numbers{float64(b.s32(pardScalar))}
	case paramScalar:
		p.def = Numbers{float64(b.s32(pardScalar)) / 65536}
	case paramAngle:
		p.def = Numbers{angle(b.s32(pardAngle))}
	case paramCheckbox:
		p.def = Numbers{float64(b.u8(pardCheckbox))}
	case paramColor:
		c := func(i int) float64 { return float64(b.u8(pardColor+i)) / 255 }
		p.def = Numbers{c(1), c(2), c(3), 1}
	case paramPoint:
		p.def = Numbers{float64(b.s32(pardPoint)) / 65536 / 100, float64(b.s32(pardPoint+4)) / 65536 / 100}
	case paramPopup:
		p.def = Numbers{float64(b.u16(pardPopup))}
	case paramSlider:
		p.def = Numbers{b.f32(pardSlider)}
	case paramPoint3D:
		p.def = Numbers{b.f64(pardPoint3D) / 100, b.f64(pardPoint3D+8) / 100, b.f64(pardPoint3D+16) / 100}
	case paramLayer, paramMask:
		p.def = Numbers{0}
	}
	return p
}

// angle reads the default of an angle, which some effects store in whole degrees and some in fractions.
func angle(v int32) float64 {
	if v > -pardWholeDegrees && v < pardWholeDegrees {
		return float64(v)
	}
	return float64(v) / pardWholeDegrees
}

// usual is the default in the units that people see.
func (p *parameter) usual(scope *layerScope) Numbers {
	n, ok := p.def.(Numbers)
	if !ok {
		return nil
	}
	v := slices.Clone(n)
	if p.kind == paramPoint || p.kind == paramPoint3D {
		for i, size := range []float64{scope.width, scope.height, scope.height}[:min(3, len(v))] {
			v[i] *= size
		}
	}
	return v
}

// labelParameter gives a checkbox its label and a popup its choices.
func labelParameter(p *parameter, label string) {
	switch p.kind {
	case paramPopup:
		p.choices = strings.Split(label, "|")
	case paramCheckbox:
		if strings.TrimSpace(p.name) == "" {
			p.name = label
		}
	}
}

// effect reads one effect of a layer.
func (r *reader) effect(p *Property, c *rifx.Chunk, scope *layerScope, depth int) error {
	p.Group = true
	inner := *scope
	inner.effect = r.defineEffect(p.Match, c)
	if tree := c.Find("tdgp"); tree != nil {
		if err := r.group(p, tree, &inner, depth); err != nil {
			return err
		}
	}
	for _, child := range p.Children {
		if def := inner.effect.param(child.Match); def != nil {
			child.Choices, child.Usual = def.choices, def.usual(scope)
		}
	}
	if p.Name == "" {
		p.Name = inner.effect.name
	}
	return nil
}
