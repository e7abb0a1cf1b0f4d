package aep

import (
	"encoding/json"
	"strconv"

	"overcrank/aep/rifx"
)

// The types of fields of the Essential Graphics panel, numbered the same in projects and in a mogrt's definition.
const (
	fieldCheckbox = 1
	fieldSlider   = 2
	fieldAngle    = 3
	fieldColor    = 4
	fieldPoint    = 5
	fieldText     = 6
	fieldComment  = 8
	fieldScale    = 9
	fieldGroup    = 10
	fieldDropdown = 13
	fieldMedia    = 14
)

// controllers reads the panel of a composition. Newer files also write it in older forms, for older readers; the newest
// form is the most complete.
func (r *reader) controllers(comp *rifx.Chunk) []Controller {
	for _, id := range []string{"CIF3", "CIF2", "CIFO"} {
		list := comp.Find(id)
		if list == nil {
			continue
		}
		var out []Controller
		for i := range list.Children {
			if c := &list.Children[i]; c.ID == "CCtl" {
				out = append(out, r.controller(c))
			}
		}
		return out
	}
	return nil
}

func (r *reader) controller(c *rifx.Chunk) Controller {
	out := Controller{Type: int(body(c.Find("CTyp").Bytes()).u32(0))}
	if name := c.Find("CpS2").Find("Utf8"); name != nil {
		out.Name = r.text(name)
	} else {
		out.Name = r.text(c.Find("CapS").Find("Utf8"))
	}
	var texts []string
	for i := range c.Children {
		if ch := &c.Children[i]; ch.ID == "Utf8" {
			texts = append(texts, r.text(ch))
		}
	}
	if len(texts) > 0 {
		out.ID = texts[0]
	}
	r.controllerValue(&out, c, texts)
	if prop := c.Find("CPrp"); prop != nil {
		out.Comp = body(prop.Find("CCId").Bytes()).u32(0)
		out.Layer = body(prop.Find("CLId").Bytes()).u32(0)
		out.Path, out.Indexes = decodeControllerPath(prop.Find("Utf8").Bytes())
	}
	return out
}

func (r *reader) controllerValue(out *Controller, c *rifx.Chunk, texts []string) {
	v := body(c.Find("CVal").Bytes())
	switch out.Type {
	case fieldCheckbox:
		out.Value = v.u8(0) != 0
	case fieldSlider, fieldAngle:
		out.Value = v.f64(0)
		out.Min, out.Max = body(c.Find("Smin").Bytes()).f64(0), body(c.Find("Smax").Bytes()).f64(0)
	case fieldColor:
		out.Value = []float64{v.f32(0), v.f32(4), v.f32(8), v.f32(12)}
	case fieldPoint:
		out.Value = []float64{v.f64(0), v.f64(8)}
	case fieldScale:
		n := min(max(int(body(c.Find("CDim").Bytes()).u32(0)), 1), 4)
		numbers := make([]float64, n)
		for i := range numbers {
			numbers[i] = v.f64(8 * i)
		}
		out.Value = numbers
	case fieldText, fieldComment:
		if len(texts) > 1 {
			out.Value = texts[1]
		}
	case fieldDropdown:
		out.Value = float64(v.u32(0))
		out.Options = r.strings(c.Find("StVc"))
	case fieldGroup:
		out.Options = r.strings(c.Find("StVc"))
	}
}

func (r *reader) strings(list *rifx.Chunk) []string {
	if list == nil {
		return nil
	}
	var out []string
	for i := range list.Children {
		if c := &list.Children[i]; c.ID == "Utf8" {
			out = append(out, r.text(c))
		}
	}
	return out
}

// decodeControllerPath reads the path to a property: an object whose keys are "0", "1" and so on.
func decodeControllerPath(data []byte) (path []string, indexes []int) {
	var steps map[string]struct {
		Index uint32 `json:"index"`
		Match string `json:"matchName"`
	}
	if json.Unmarshal(data, &steps) != nil {
		return nil, nil
	}
	const none = 1<<32 - 1
	for i := range len(steps) {
		step, ok := steps[strconv.Itoa(i)]
		if !ok {
			break
		}
		index := 0
		if step.Index != none {
			index = int(step.Index) + 1
		}
		path, indexes = append(path, step.Match), append(indexes, index)
	}
	return path, indexes
}

// Property finds the property of l that the controller drives, nil when l does not have it.
func (c Controller) Property(l *Layer) *Property {
	p := l.Props
	for i, match := range c.Path {
		if p == nil {
			return nil
		}
		next := p.Child(match)
		if i < len(c.Indexes) {
			if n := c.Indexes[i]; n > 0 && n <= len(p.Children) && p.Children[n-1].Match == match {
				next = p.Children[n-1]
			}
		}
		p = next
	}
	return p
}
