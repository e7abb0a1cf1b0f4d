package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/aep"
	"overcrank/farm"
	"overcrank/web/language"
	"overcrank/web/page"
)

// fields are what a job can fill in of a composition: the fields of its panel, in its order, and then the layers with words and files of the
// composition and of those within it. What the panel drives is not offered twice. A composition without a panel offers the expression
// controls of its layers: that is how templates from before panels are steered.
func fields(sum *aep.Summary, comp aep.CompositionSummary) []page.Field {
	f := fieldList{byID: map[uint32]aep.CompositionSummary{}, given: map[string]bool{}, walked: map[uint32]bool{}, driven: map[layerID]bool{}}
	for _, c := range sum.Compositions {
		f.byID[c.ID] = c
	}
	panel := comp.Essential
	if len(panel) == 0 && sum.Mogrt != nil && comp.Root {
		panel = panelOf(sum.Mogrt)
	}
	for _, e := range panel {
		f.driven[layerID{e.Comp, e.Layer}] = f.driven[layerID{e.Comp, e.Layer}] || e.Words || e.Type == "media"
		f.add(essentialField(e, comp.Name))
	}
	f.controls = len(panel) == 0
	f.walk(comp)
	return f.all
}

type layerID struct{ comp, layer uint32 }

// fieldList gathers the fields of a form.
type fieldList struct {
	all      []page.Field
	byID     map[uint32]aep.CompositionSummary
	given    map[string]bool // by what they fill in
	walked   map[uint32]bool // compositions
	driven   map[layerID]bool
	controls bool
}

// add adds a field, unless it is none, or there is one for the same.
func (f *fieldList) add(field page.Field, ok bool) {
	what := strings.Join([]string{field.Kind, field.Layer, field.Property}, "\x00")
	if field.Panel {
		what = "panel\x00" + field.Layer
	}
	if !ok || f.given[what] {
		return
	}
	f.given[what] = true
	field.Key = "field" + strconv.Itoa(len(f.all))
	f.all = append(f.all, field)
}

func (f *fieldList) walk(c aep.CompositionSummary) {
	if f.walked[c.ID] {
		return
	}
	f.walked[c.ID] = true
	for _, l := range c.Layers {
		if !f.driven[layerID{c.ID, l.ID}] {
			f.add(fieldOf(l))
		}
		for _, control := range l.Controls {
			if f.controls {
				f.add(controlField(l, control))
			}
		}
		if inner, ok := f.byID[l.SourceComp]; ok && l.SourceComp != 0 {
			f.walk(inner)
		}
	}
}

// panelOf are the fields of a panel that only the mogrt's definition is known of: summaries from earlier versions.
func panelOf(m *aep.MogrtSummary) (all []aep.EssentialSummary) {
	groups := map[string]string{}
	for _, f := range m.Fields {
		members, _ := f.Value.([]any)
		for _, member := range members {
			if name, ok := member.(string); ok && f.Type == "group" {
				groups[name] = f.Name
			}
		}
	}
	for _, f := range m.Fields {
		if f.Type != "group" {
			all = append(all, aep.EssentialSummary{Name: f.Name, Type: f.Type, Group: groups[f.Name], Value: f.Value, Min: f.Min, Max: f.Max, Options: f.Options})
		}
	}
	return all
}

func fieldOf(l aep.LayerSummary) (page.Field, bool) {
	f := page.Field{Layer: l.Name}
	switch {
	case l.Type == "text":
		f.Kind = "text"
		f.Value = strings.NewReplacer("\r", "\n", "\x03", "\n").Replace(l.Text)
		f.Lines = strings.Count(f.Value, "\n") + 1
		if l.Expression {
			f.Note = language.Text("An expression writes these words; what you type here takes its place.")
		}
	case l.Media == "image", l.Media == "video", l.Media == "audio":
		f.Kind, f.Value = l.Media, l.SourceName
		if l.Missing != "" {
			f.Value, f.Lacks = l.Missing, true
		}
	default:
		return f, false
	}
	return f, true
}

// kindOfField are the kinds of fields by the types of a panel's.
var kindOfField = map[string]string{
	"text": "text", "media": "media", "checkbox": page.FieldSwitch, "slider": page.FieldNumber, "angle": page.FieldAngle, "color": page.FieldColour,
	"point": page.FieldPoint, "scale": page.FieldPoint, "dropdown": page.FieldChoice, "comment": page.FieldComment,
}

// essentialField is the field of one of a panel's.
func essentialField(e aep.EssentialSummary, composition string) (page.Field, bool) {
	f := page.Field{Layer: e.Name, Kind: kindOfField[e.Type], Panel: true, Composition: composition, Group: e.Group, Options: e.Options, Least: e.Min, Most: e.Max}
	f.Value = shownValue(f.Kind, e.Value)
	switch f.Kind {
	case "text":
		f.Value = strings.NewReplacer("\r", "\n", "\x03", "\n").Replace(f.Value)
		f.Lines = strings.Count(f.Value, "\n") + 1
	case "media":
		f.Value = language.Text("as the template has it")
	case page.FieldChoice:
		return f, len(f.Options) > 0
	case page.FieldPoint:
		return f, f.Value != ""
	}
	return f, f.Kind != ""
}

// controlField is the field of an expression control of a layer.
func controlField(l aep.LayerSummary, c aep.ControlSummary) (page.Field, bool) {
	f := page.Field{Layer: l.Name, Label: c.Name, Property: c.Property, Kind: kindOfField[c.Type], Group: l.Name, Options: c.Options}
	f.Value = shownValue(f.Kind, c.Value)
	return f, f.Kind != "" && f.Value != "" || f.Kind == page.FieldSwitch
}

// sentValue is what a form holds for a field.
func sentValue(c *fiber.Ctx, f page.Field) string {
	switch f.Kind {
	case page.FieldPoint:
		return sentNumbers(c, f)
	case page.FieldSwitch:
		if c.FormValue(f.Key+".off") == "" { // which browsers send along, unlike a switch that is off
			return f.Value
		}
	case page.FieldNumber, page.FieldAngle, page.FieldColour, page.FieldChoice:
		if !c.Request().PostArgs().Has(f.Key) {
			return f.Value
		}
	}
	return strings.ReplaceAll(c.FormValue(f.Key), "\r\n", "\n")
}

// sentNumbers is what a form holds for a field of several numbers.
func sentNumbers(c *fiber.Ctx, f page.Field) string {
	var parts []string
	for i := range f.Parts() {
		parts = append(parts, strings.TrimSpace(c.FormValue(f.Key+"."+strconv.Itoa(i))))
	}
	if !slices.ContainsFunc(parts, func(part string) bool { return part != "" }) {
		return f.Value // nothing was sent
	}
	return strings.Join(parts, " ")
}

// fillIn puts what an earlier job was given into the fields, and gives back what has no field.
func fillIn(all []page.Field, given []farm.Asset) (left []farm.Asset) {
	for _, a := range given {
		i := slices.IndexFunc(all, func(f page.Field) bool { return fills(f, a) })
		if i < 0 || !refill(&all[i], a) {
			left = append(left, a)
		}
	}
	return left
}

// fills tells whether an asset gives what a field is for.
func fills(f page.Field, a farm.Asset) bool {
	if f.Layer != a.LayerName || a.Expression != "" {
		return false
	}
	switch {
	case f.Panel:
		return a.Type == "essential" && (a.Composition == "" || a.Composition == "*" || a.Composition == f.Composition)
	case f.Property != "":
		return a.Type == "data" && a.Property == f.Property
	}
	return f.Kind == a.Type && a.Property == ""
}

// refill puts what a layer was given into its field, unless the field can't hold it.
func refill(f *page.Field, a farm.Asset) bool {
	src := a.Src
	if f.Kind == "media" {
		src = a.MediaValue()
	}
	if f.TakesFile() {
		if !strings.HasPrefix(src, farm.KeptScheme) {
			return false
		}
		f.Src, f.Note = src, language.Text("As in the earlier job")
		return true
	}
	value, ok := valueGiven(*f, a.Value)
	if ok {
		f.Value = value
	}
	return ok
}
