package variants

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/farm/names"
)

// Variant is the job that a line of a file describes.
type Variant struct {
	Where  string         // place in the file, for messages: "line 14" or "job 3"
	Number int            // the line or the number of the job there, from 1
	Output string         // name for the file of its result, "" for none
	Job    map[string]any // the request of POST /jobs; src may be a path of this machine
	// Media are those assets of the job whose value, rather than src, may be a path.
	Media []map[string]any
	Cells map[string]string // of the row, by heading; nil when the variant is not from a row
	Wrong []*CellError      // what is wrong with the row

	columns map[string]int // from 1, by what they set of the job: "assets[0]", or an option's name
}

// Column is the number, from 1, of the column that sets a field of the job, 0 for none. Fields are named as in the
// farm's answers, such as "assets[0].value" or "settings.codec".
func (v Variant) Column(field string) int {
	part, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(field, "settings."), "template."), ".")
	if !strings.HasPrefix(part, "assets[") {
		part, _, _ = strings.Cut(part, "[") // of a list, such as tags[2]
	}
	return v.columns[part]
}

// FromSheet makes a job of each row. base is what all jobs share. Headings name what the columns set; mapping says it
// for those that do not, as in Template.Columns. The error joins everything that is wrong: either the columns, each as a
// *ColumnError, and then there are no jobs; or the sheet and its rows, each as a *CellError, which the jobs have in
// Wrong as well.
func FromSheet(s *Sheet, t Template, base map[string]any, mapping map[string]string) ([]Variant, error) {
	columns := t.Columns(s.Columns, mapping)
	if wrong := check(columns, s.Columns, mapping); !wrong.none() {
		wrong.addAll(s.Wrong)
		return nil, wrong.err()
	}
	out := make([]Variant, len(s.Rows))
	wrong := &complaints{}
	wrong.addAll(s.Wrong)
	for n, row := range s.Rows {
		v := Variant{
			Where: fmt.Sprintf("line %d", row.Line), Number: row.Line, Job: clone(base), Cells: map[string]string{},
			Wrong: slices.Clone(row.Wrong), columns: map[string]int{},
		}
		for i, column := range columns {
			v.Cells[s.Columns[i]] = row.Cells[i]
			if err := v.put(column, i+1, row.Cells[i], s.Delimiter); err != nil {
				v.Wrong = append(v.Wrong, s.cellError(row.Line, i, err))
			}
		}
		wrong.addAll(v.Wrong)
		out[n] = v
	}
	return out, wrong.err()
}

// check collects what is wrong with the columns.
func check(columns []Column, headings []string, mapping map[string]string) *complaints {
	wrong := &complaints{}
	for _, heading := range slices.Sorted(maps.Keys(mapping)) {
		if !slices.Contains(headings, heading) {
			wrong.add(farm.Errorf(farm.CodeInvalid, "there is no column '%s': %s", heading, farm.AsIs(names.DidYouMean(heading, headings))))
		}
	}
	about := 0
	for _, column := range columns {
		if column.Err != nil {
			wrong.add(&ColumnError{column.Heading, column.Err})
		}
		if column.Kind != LeftOut {
			about++
		}
	}
	if wrong.none() && about == 0 {
		wrong.add(farm.Errorf(farm.CodeInvalid, "no column sets anything of a layer or the job"))
	}
	return wrong
}

// put sets in the job what a cell says; place is its column's number, from 1. An empty cell changes nothing.
func (v *Variant) put(c Column, place int, cell string, delimiter rune) error {
	if c.Kind == LeftOut || strings.TrimSpace(cell) == "" {
		return nil
	}
	var asset map[string]any
	switch c.Kind {
	case Option:
		v.columns[c.Name] = place
		return v.setOption(c.Name, strings.TrimSpace(cell))
	case Words:
		asset = map[string]any{"type": "text", "layerName": c.Name, "value": cell}
	case Media:
		src := strings.TrimSpace(cell)
		kind, err := mediaOf(src, c.Shows)
		if err != nil {
			return err
		}
		asset = map[string]any{"type": kind, "layerName": c.Name, "src": src}
	case Property:
		asset = map[string]any{"type": "data", "layerName": c.Name, "property": c.Property, "value": dataValue(c.Property, cell, delimiter)}
	case Essential:
		asset = map[string]any{"type": "essential", "layerName": c.Name, "value": fieldValue(c.Type, cell, delimiter)}
		if c.Type == "media" {
			v.Media = append(v.Media, asset)
		}
	}
	assets, _ := v.Job["assets"].([]any)
	v.columns[fmt.Sprintf("assets[%d]", len(assets))] = place
	v.Job["assets"] = append(assets, asset)
	return nil
}

// clone copies the parts of a job that FromSheet changes, so that no two variants share them.
func clone(base map[string]any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for _, key := range []string{"template", "settings"} {
		if m, ok := out[key].(map[string]any); ok {
			out[key] = maps.Clone(m)
		}
	}
	// Uploading files changes the maps of the assets.
	if list, ok := out["assets"].([]any); ok {
		copied := make([]any, len(list))
		for i, a := range list {
			copied[i] = a
			if m, ok := a.(map[string]any); ok {
				copied[i] = maps.Clone(m)
			}
		}
		out["assets"] = copied
	}
	return out
}
