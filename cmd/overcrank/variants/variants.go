package variants

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overcrank/cmd/overcrank/names"
)

// Variant is a job that a line of a file describes.
type Variant struct {
	Where  string         // it stands in the file, for messages: "line 14" or "job 3"
	Number int            // the line or the number of the job there, from 1
	Output string         // how the file of its result is to be called, "" when nothing was said
	Job    map[string]any // the request of POST /jobs; src may be a path of this machine
	// Media are those assets of the job whose value, and not whose src, may be a path.
	Media []map[string]any
	Cells map[string]string // of the row, by heading; nil where the variant is no row
}

// FromSheet makes a job of each row. base is what all jobs have in common. Headings name layers; mapping, by heading, says what
// those are about that do not: "layer", "layer:property", "@option", or "" to leave the column out. The error lists all that
// is wrong, with the line.
func FromSheet(s *Sheet, t Template, base map[string]any, mapping map[string]string) ([]Variant, error) {
	targets, err := t.targets(s.Columns, mapping)
	if err != nil {
		return nil, err
	}
	var out []Variant
	wrong := &complaints{}
	for _, row := range s.Rows {
		v := Variant{Where: fmt.Sprintf("line %d", row.Line), Number: row.Line, Job: clone(base), Cells: map[string]string{}}
		for i, target := range targets {
			v.Cells[s.Columns[i]] = row.Cells[i]
			if err := v.put(target, row.Cells[i], s.Delimiter); err != nil {
				wrong.add(fmt.Errorf("%s, column '%s': %w", v.Where, s.Columns[i], err))
			}
		}
		out = append(out, v)
	}
	return out, wrong.err()
}

// targets settles what each column is about.
func (t Template) targets(columns []string, mapping map[string]string) ([]target, error) {
	wrong := &complaints{}
	for _, column := range slices.Sorted(maps.Keys(mapping)) {
		if !slices.Contains(columns, column) {
			wrong.add(fmt.Errorf("--map %s: there is no such column: %s", column, names.DidYouMean(column, columns)))
		}
	}
	out := make([]target, len(columns))
	about := 0
	for i, column := range columns {
		heading, mapped := mapping[column]
		if !mapped {
			heading = column
		}
		found, err := t.find(heading)
		if err != nil {
			wrong.add(fmt.Errorf("column '%s': %w (or map it: --map '%s=layer', --map '%s=' leaves it out)", column, err, column, column))
			continue
		}
		found.column = column
		out[i] = found
		if found.use != useNothing {
			about++
		}
	}
	if wrong.none() && about == 0 {
		wrong.add(errors.New("no column is about a layer or the job"))
	}
	return out, wrong.err()
}

// put puts a cell into the job. An empty one leaves it as it is.
func (v *Variant) put(t target, cell string, delimiter rune) error {
	if t.use == useNothing || strings.TrimSpace(cell) == "" {
		return nil
	}
	var asset map[string]any
	switch t.use {
	case useOption:
		return v.setOption(t.name, strings.TrimSpace(cell))
	case useText:
		asset = map[string]any{"type": "text", "layerName": t.name, "value": cell}
	case useFile:
		src := strings.TrimSpace(cell)
		kind, err := mediaOf(src, t.media)
		if err != nil {
			return err
		}
		asset = map[string]any{"type": kind, "layerName": t.name, "src": src}
	case useData:
		asset = map[string]any{"type": "data", "layerName": t.name, "property": t.property, "value": dataValue(t.property, cell, delimiter)}
	case useEssential:
		asset = map[string]any{"type": "essential", "layerName": t.name, "value": fieldValue(t.typ, cell, delimiter)}
		if t.typ == "media" {
			v.Media = append(v.Media, asset)
		}
	}
	assets, _ := v.Job["assets"].([]any)
	v.Job["assets"] = append(assets, asset)
	return nil
}

// clone copies what FromSheet changes of a job, so that no two variants share it.
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
	// Assets are maps which the handing over of files changes.
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

// complaints collect what is wrong, as far as a person would read on.
type complaints struct {
	said []error
	more int
}

const complaintsLimit = 20

func (c *complaints) add(err error) {
	if len(c.said) == complaintsLimit {
		c.more++
		return
	}
	c.said = append(c.said, err)
}

func (c *complaints) none() bool { return len(c.said) == 0 }

func (c *complaints) err() error {
	if c.more > 0 {
		return errors.Join(append(c.said, fmt.Errorf("and %d more", c.more))...)
	}
	return errors.Join(c.said...)
}
