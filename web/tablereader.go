package web

import (
	"encoding/json"
	"errors"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"overcrank/api"
	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/variants"
	"overcrank/web/page"
)

// rowsShown is how many rows are shown as they will be submitted.
const rowsShown = 5

// tableReader reads the table of a form into what its page shows.
type tableReader struct {
	form     tableForm
	view     *page.Table
	template variants.Template
	columns  []variants.Column
	missing  map[string]bool // files, by key
}

// read gives a job for each row; what is wrong is in the view.
func (r *tableReader) read() []coordinator.BatchEntry {
	sheet, err := variants.ReadSheet(strings.NewReader(r.form.text), 0)
	if sheet != nil {
		r.view.Text, r.view.Remarks = sheet.Text, sheet.Remarks
	}
	if err != nil {
		if r.view.Text == "" && utf8.ValidString(r.form.text) && !strings.Contains(r.form.text, "\x00") {
			r.view.Text = r.form.text
		}
		r.view.Complain("%s", err)
		return nil
	}
	r.view.Total = len(sheet.Rows)
	if len(sheet.Rows) > api.BatchLimit {
		r.view.Complain("the table has %d rows, and a batch takes %d: leave some out, or submit it from the command line, which makes several batches of it",
			len(sheet.Rows), api.BatchLimit)
		return nil
	}
	mapping := r.settle(sheet)
	list, err := variants.FromSheet(sheet, r.template, r.base(), mapping)
	for err := range each(err) {
		r.view.Complain("%s", err)
	}
	if len(list) == 0 {
		return nil
	}
	if err := variants.CheckPattern(r.form.name, list); err != nil {
		r.view.Complain("name of the jobs: %s", err)
	}
	r.missing = map[string]bool{}
	jobs := make([]coordinator.BatchEntry, len(list))
	for i, v := range list {
		jobs[i].Job = r.job(v, i < rowsShown)
	}
	return jobs
}

// each gives the errors that were joined.
func each(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			if err != nil {
				yield(err)
			}
			return
		}
		for _, err := range joined.Unwrap() {
			if !yield(err) {
				return
			}
		}
	}
}

// settle tells what each column is about: as the form says, as its heading does, or as is likely. Columns of which nothing is
// known are left out, and complained of.
func (r *tableReader) settle(sheet *variants.Sheet) map[string]string {
	mapping := map[string]string{}
	for _, heading := range sheet.Columns {
		if about, said := r.form.about[heading]; said {
			mapping[heading] = about
		}
	}
	for i, c := range r.template.Columns(sheet.Columns, mapping) {
		_, said := mapping[c.Heading]
		shown := page.TableColumn{Heading: c.Heading}
		if c.Err != nil {
			mapping[c.Heading] = ""
			if !said && len(c.Near) > 0 {
				shown.Proposed = true
				mapping[c.Heading] = c.Near[0]
			} else {
				shown.Unknown = true
				r.view.Complain("column “%s”: %s", c.Heading, c.Err)
			}
			c = r.template.Columns(sheet.Columns[i:i+1], mapping)[0]
		}
		r.columns = append(r.columns, c)
		shown.About, shown.Becomes = c.About, becomes(c)
		r.view.Columns = append(r.view.Columns, shown)
	}
	for _, c := range r.template.Choices() {
		r.view.Abouts = append(r.view.Abouts, page.TableAbout{About: c.About, Words: c.Name, Becomes: becomes(c), Option: c.Kind == variants.Option})
	}
	return mapping
}

// becomes says what the cells of a column become.
func becomes(c variants.Column) string {
	switch c.Kind {
	case variants.Words:
		return "words"
	case variants.Media:
		switch c.Shows {
		case "image":
			return "picture"
		case "video":
			return "film"
		case "audio":
			return "sound"
		}
		return "picture or film"
	case variants.Property:
		return "property"
	case variants.Essential:
		return "field of the panel"
	case variants.Option:
		return "about the job"
	}
	return ""
}

// base is what all jobs have in common.
func (r *tableReader) base() map[string]any {
	base := map[string]any{"template": map[string]any{"id": r.view.Template.ID, "composition": r.view.Composition.Name}}
	switch {
	case r.form.preview:
		base["preview"] = true
	case r.form.codec != "":
		base["settings"] = map[string]any{"codec": r.form.codec}
	}
	return base
}

// job makes the job of a row.
func (r *tableReader) job(v variants.Variant, show bool) farm.Job {
	name, _ := v.Job["name"].(string)
	if name == "" {
		if name = v.Fill(r.form.name, nil); name == "" {
			name = v.Output
		}
		if name != "" {
			v.Job["name"] = name
		}
	}
	if show {
		r.view.Rows = append(r.view.Rows, page.TableRow{Line: v.Number, Name: name, Cells: r.cells(v)})
	}
	if !r.placeFiles(v) {
		return farm.Job{}
	}
	body, err := json.Marshal(v.Job)
	if err != nil {
		r.view.Complain("%s: %s", v.Where, err)
		return farm.Job{}
	}
	job, err := api.ReadJob(body)
	var wrong *farm.Error
	switch {
	case errors.As(err, &wrong) && len(wrong.Fields) > 0:
		for _, f := range wrong.Fields {
			r.view.Complain("%s: %s %s", v.Where, fieldOfRow(v, f.Field), f.Message)
		}
	case err != nil:
		r.view.Complain("%s: %s", v.Where, err)
	}
	job.Strict = true
	return job
}

// assetField begins the path of a field of an asset.
var assetField = regexp.MustCompile(`^assets\[(\d+)\]\.?`)

// fieldOfRow names a field of a job as those know it who have only the table: by its layer.
func fieldOfRow(v variants.Variant, field string) string {
	m := assetField.FindStringSubmatch(field)
	if m == nil {
		return field
	}
	assets, _ := v.Job["assets"].([]any)
	i, err := strconv.Atoi(m[1])
	if err != nil || i >= len(assets) {
		return field
	}
	asset, _ := assets[i].(map[string]any)
	layer, _ := asset["layerName"].(string)
	return layer + " " + field[len(m[0]):]
}

// cells are those of a row as they will be submitted.
func (r *tableReader) cells(v variants.Variant) []string {
	assets, _ := v.Job["assets"].([]any)
	var out []string
	for i, c := range r.columns {
		if !r.view.Columns[i].Shown() {
			continue
		}
		cell := strings.TrimSpace(v.Cells[c.Heading])
		if cell != "" && (c.Kind == variants.Property || c.Kind == variants.Essential) {
			cell = valueOf(assets, c)
		}
		out = append(out, cell)
	}
	return out
}

// valueOf is the value that a column's asset has, as JSON unless it is words.
func valueOf(assets []any, c variants.Column) string {
	for _, a := range assets {
		asset, _ := a.(map[string]any)
		property, _ := asset["property"].(string)
		if asset["layerName"] != c.Name || property != c.Property {
			continue
		}
		if words, ok := asset["value"].(string); ok {
			return words
		}
		raw, err := json.Marshal(asset["value"])
		if err == nil {
			return string(raw)
		}
	}
	return ""
}

// placeFiles puts the addresses of handed-over files in the places of their names. It tells whether all were there.
func (r *tableReader) placeFiles(v variants.Variant) bool {
	whole := true
	place := func(asset map[string]any, member string) {
		name, _ := asset[member].(string)
		if name == "" || !address.IsPath(name) {
			return
		}
		key := fileKey(name)
		if f, ok := r.form.kept[key]; ok {
			asset[member] = f.Src
			return
		}
		whole = false
		if !r.missing[key] {
			r.missing[key] = true
			r.view.Files = append(r.view.Files, page.TableFile{Name: name})
			r.view.Complain("%s: the file “%s” is missing; add it beside the table, or write an address", v.Where, name)
		}
	}
	assets, _ := v.Job["assets"].([]any)
	for _, a := range assets {
		if asset, ok := a.(map[string]any); ok {
			place(asset, "src")
		}
	}
	for _, asset := range v.Media {
		place(asset, "value")
	}
	return whole
}
