package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"overcrank/api/public"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/farm/variants"
	"overcrank/web/language"
	"overcrank/web/page"
)

const (
	rowsShown      = 24     // from the first on, with a frame of each; as many more each time that somebody asks
	rowsAgainShown = 100    // the same, of rows of a batch that are submitted again
	wrongRowsShown = 20     // behind them
	cellsEdited    = 20_000 // that may be edited in place at once
)

// tableReader reads the table of a form into what its page shows.
type tableReader struct {
	form     tableForm
	reads    context.Context // whose language problems are told in
	view     *page.Table
	template variants.Template
	again    *againTable // what the rows were given before; nil in a table of new jobs
	columns  []variants.Column
	headings []string
	missing  map[string]bool     // files, by key
	whole    bool                // something is wrong that is not of single rows
	faults   []page.TableProblem // of the row that is read
	cards    int                 // bytes that the contact sheet has so far
}

// tableRows are the rows of a table as its page read them, one after the other as they stand in the table.
type tableRows struct {
	headings  []string
	delimiter rune
	rows      []variants.Row
	variants  []variants.Variant
	jobs      []submission.BatchEntry
	wrong     []bool // rows with something wrong
	again     *againTable
}

// read gives the table's rows with a job for each; what is wrong is in the view.
func (r *tableReader) read() tableRows {
	sheet, err := r.edited(variants.ReadSheet(strings.NewReader(r.form.text), r.delimiter()))
	if sheet != nil {
		r.view.Text, r.view.Remarks = sheet.Text, sheet.Remarks
	}
	if err != nil {
		if r.view.Text == "" && utf8.ValidString(r.form.text) && !strings.Contains(r.form.text, "\x00") {
			r.view.Text = r.form.text
		}
		r.complainOf(sheet, err)
	}
	if sheet == nil || len(sheet.Columns) == 0 {
		return tableRows{}
	}
	for _, wrong := range sheet.Wrong {
		r.whole = true
		r.view.Blame(problemOf(r.reads, wrong))
	}
	r.view.Total = len(sheet.Rows)
	if r.view.Total > public.BatchLimit {
		r.complain(r.say("the table has %d rows, and a batch takes %d: leave some out, or submit it from the command line, which makes several batches of it",
			r.view.Total, public.BatchLimit))
		sheet.Rows = sheet.Rows[:public.BatchLimit]
	}
	mapping := r.settle(sheet)
	if err != nil {
		return tableRows{}
	}
	list, err := variants.FromSheet(sheet, r.template, r.base(), mapping)
	if len(list) == 0 {
		r.complainOf(sheet, err)
		return tableRows{}
	}
	if err := variants.CheckPattern(r.form.name, list); err != nil {
		r.complain(r.say("name of the jobs: %s", r.words(err)))
	}
	return r.readRows(sheet, list)
}

// delimiter separates the cells; 0 for one that has to be guessed.
func (r *tableReader) delimiter() rune {
	if r.again != nil {
		return ','
	}
	return 0
}

// edited puts the cells that were edited on the page into the sheet that they were drawn of. Of a sheet with lines that are no rows none can be
// edited: writing it anew would lose them.
func (r *tableReader) edited(sheet *variants.Sheet, err error) (*variants.Sheet, error) {
	if err != nil || len(sheet.Wrong) > 0 || r.form.tooLarge || r.form.of != page.TextMark(sheet.Text) {
		return sheet, err
	}
	changed := false
	for _, row := range sheet.Rows {
		for i := range row.Cells {
			value, sent := r.form.cells[page.CellName(row.Line, i)]
			if value = strings.ReplaceAll(value, "\r\n", "\n"); sent && value != row.Cells[i] {
				row.Cells[i], changed = value, true
			}
		}
	}
	if !changed {
		return sheet, nil
	}
	text, err := sheet.Rewrite()
	if err != nil {
		return sheet, err
	}
	return variants.ReadSheet(strings.NewReader(text), sheet.Delimiter)
}

// shot is what the preview of a row is asked for by.
func shot(v variants.Variant) string {
	raw, err := json.Marshal(map[string]any{"template": v.Job["template"], "assets": v.Job["assets"]})
	if err != nil {
		return "" // of a value that is no JSON either when it is submitted
	}
	return string(raw)
}

// readRows makes the jobs. The first rows are shown, and of the others those with something wrong.
func (r *tableReader) readRows(sheet *variants.Sheet, list []variants.Variant) tableRows {
	out := tableRows{headings: sheet.Columns, delimiter: sheet.Delimiter, rows: sheet.Rows, variants: list, again: r.again}
	out.jobs, out.wrong = make([]submission.BatchEntry, len(list)), make([]bool, len(list))
	r.headings, r.missing = sheet.Columns, map[string]bool{}
	sound, shownWrong, rowsShown := 0, 0, r.form.rows()
	r.view.Editable = len(sheet.Wrong) == 0 && !r.form.tooLarge && min(rowsShown+wrongRowsShown, len(list))*len(sheet.Columns) < cellsEdited
	for i, v := range list {
		if r.again != nil {
			if _, known := r.again.numberOf(v); !known {
				out.wrong[i] = true // somebody submitted the row again meanwhile
				r.view.Total--
				continue
			}
		}
		r.faults = nil
		name := r.name(v)
		shown := page.TableRow{Line: v.Number, Name: name}
		if i < rowsShown || shownWrong < wrongRowsShown {
			shown.Cells = r.cells(v) // before addresses stand in the places of files
		}
		out.jobs[i].Job = r.job(v)
		if r.again != nil {
			out.jobs[i].Job = r.takeOf(v, &shown, out.jobs[i].Job)
		}
		out.wrong[i] = len(r.faults) > 0
		if !out.wrong[i] {
			sound++
		}
		for _, fault := range r.faults {
			fault.Row = shown.Row
			r.view.Blame(fault)
		}
		if i < rowsShown || out.wrong[i] && shownWrong < wrongRowsShown {
			if i >= rowsShown {
				shownWrong++
			}
			shown.Mark(r.reads, r.view.Columns, r.faults)
			r.view.Rows = append(r.view.Rows, shown)
		}
		r.addCard(v, shown)
	}
	if !r.whole {
		r.view.Rest = sound
	}
	return out
}

// addCard puts a row onto the contact sheet, while there is room for it.
func (r *tableReader) addCard(v variants.Variant, shown page.TableRow) {
	card := page.TableCard{Line: shown.Line, Number: max(shown.Row, 0), Name: shown.Name}
	if card.Number == 0 {
		card.Number = shown.Line
	}
	listed := len(r.view.Rows)
	card.Listed = listed > 0 && r.view.Rows[listed-1].Line == shown.Line
	if len(r.faults) > 0 {
		card.Wrong = r.faults[0].Brief()
	} else {
		card.Shot = shot(v)
	}
	if r.cards += len(card.Shot) + len(card.Wrong) + len(card.Name); r.cards <= page.CardsLimit {
		r.view.Cards = append(r.view.Cards, card)
	}
}

// takeOf makes the job of a row of a batch that is submitted again. Of a row that is not chosen nothing is wrong.
func (r *tableReader) takeOf(v variants.Variant, shown *page.TableRow, sent farm.Job) farm.Job {
	number, _ := r.again.numberOf(v)
	if !r.again.picked(number) {
		r.faults = nil
	}
	r.again.tell(shown, number, v, r.columns)
	return r.again.job(number, v, sent, r.columns)
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
				r.complain(r.say("column “%s”: %s", c.Heading, r.words(c.Err)))
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
		return language.Text("text")
	case variants.Media:
		switch c.Shows {
		case "image":
			return language.Text("picture")
		case "video":
			return language.Text("film")
		case "audio":
			return language.Text("sound")
		}
		return language.Text("picture or film")
	case variants.Property:
		return language.Text("property")
	case variants.Essential:
		return language.Text("field of the panel")
	case variants.Option:
		return language.Text("about the job")
	}
	return ""
}

// base is what all jobs have in common.
func (r *tableReader) base() map[string]any {
	of := map[string]any{"id": r.view.Template.ID, "composition": r.view.Composition.Name}
	if r.view.Version > 0 {
		of["version"] = r.view.Version
	}
	base := map[string]any{"template": of}
	switch {
	case r.form.preview:
		base["preview"] = true
	case r.form.codec != "":
		base["settings"] = map[string]any{"codec": r.form.codec}
	}
	if r.form.project != "" {
		base["project"] = r.form.project
	}
	return base
}

// name is what the job of a row is called, which the job is told.
func (r *tableReader) name(v variants.Variant) string {
	name, _ := v.Job["name"].(string)
	if name == "" {
		if name = v.Fill(r.form.name, nil); name == "" {
			name = v.Output
		}
		if name != "" {
			v.Job["name"] = name
		}
	}
	return name
}

// job makes the job of a row; what is wrong with it is among the faults.
func (r *tableReader) job(v variants.Variant) (job farm.Job) {
	for _, wrong := range v.Wrong {
		r.faults = append(r.faults, problemOf(r.reads, wrong))
	}
	if !r.placeFiles(v) {
		return farm.Job{}
	}
	body, err := json.Marshal(v.Job)
	if err != nil {
		r.fault(v, 0, r.words(err))
		return farm.Job{}
	}
	if job, err = public.ReadJob(body); err != nil {
		r.faults = append(r.faults, problemsOf(r.reads, r.headings, v, err)...)
	}
	job.Strict = true
	return job
}

// complain tells of something that is wrong with more than a row.
func (r *tableReader) complain(words string) {
	r.whole = true
	r.view.Complain(words)
}

// say is a text in the language of whoever has sent the table.
func (r *tableReader) say(text string, args ...any) string {
	return language.Say(r.reads, text, args...)
}

// words are an error in the language of whoever has sent the table.
func (r *tableReader) words(err error) string { return language.ToldError(r.reads, err) }

// complainOf tells of errors that were joined, but for what is wrong in the sheet's lines, which is told with its place.
func (r *tableReader) complainOf(sheet *variants.Sheet, err error) {
	for err := range each(err) {
		var cell *variants.CellError
		if sheet == nil || !errors.As(err, &cell) || !slices.Contains(sheet.Wrong, cell) {
			r.complain(r.words(err))
		}
	}
}

// fault notes what is wrong with the row that is read; column is that of the cell, from 1, 0 where it is no cell.
func (r *tableReader) fault(v variants.Variant, column int, words string) {
	p := page.TableProblem{Line: v.Number, Column: column, Words: words}
	if column > 0 {
		p.Heading = r.headings[column-1]
	}
	r.faults = append(r.faults, p)
}

func problemOf(ctx context.Context, wrong *variants.CellError) page.TableProblem {
	return page.TableProblem{Line: wrong.Line, Column: wrong.Column, Heading: wrong.Heading, Words: language.ToldError(ctx, wrong.Err)}
}

// assetField begins the path of a field of an asset.
var assetField = regexp.MustCompile(`^assets\[\d+\]\.?`)

// problemsOf are those that the farm has with the job of a row, each at the cell that it comes from.
func problemsOf(ctx context.Context, headings []string, v variants.Variant, err error) []page.TableProblem {
	var known *farm.Error
	if !errors.As(err, &known) || len(known.Fields) == 0 {
		return []page.TableProblem{{Line: v.Number, Words: language.ToldError(ctx, err)}}
	}
	out := make([]page.TableProblem, len(known.Fields))
	for i, f := range known.Fields {
		said := language.Told(ctx, f.Text())
		p := page.TableProblem{Line: v.Number, Column: v.Column(f.Field), Words: language.FieldName(ctx, f.Field) + " " + said}
		if p.Column > 0 {
			p.Heading = headings[p.Column-1]
			p.Words = strings.TrimSpace(assetField.ReplaceAllString(f.Field, "") + " " + said)
		}
		out[i] = p
	}
	return out
}

// cells are those of a row as they will be submitted.
func (r *tableReader) cells(v variants.Variant) []page.TableCell {
	assets, _ := v.Job["assets"].([]any)
	var out []page.TableCell
	for i, c := range r.columns {
		if !r.view.Columns[i].Shown() {
			continue
		}
		cell := strings.TrimSpace(v.Cells[c.Heading])
		if cell != "" && (c.Kind == variants.Property || c.Kind == variants.Essential) {
			cell = valueOf(assets, c)
		}
		out = append(out, page.TableCell{Text: cell, Raw: v.Cells[c.Heading], Name: page.CellName(v.Number, i), Label: r.say("%s, line %s", c.Heading, strconv.Itoa(v.Number))})
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
	place := func(asset map[string]any, member string, column int) {
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
		r.fault(v, column, r.say("the file “%s” is missing; upload it with the table, or give an address", name))
		if r.missing[key] {
			r.faults[len(r.faults)-1].Repeated = true
			return
		}
		r.missing[key] = true
		r.view.Files = append(r.view.Files, page.TableFile{Name: name})
	}
	assets, _ := v.Job["assets"].([]any)
	for i, a := range assets {
		asset, _ := a.(map[string]any)
		column := v.Column(fmt.Sprintf("assets[%d]", i))
		place(asset, "src", column)
		if column > 0 && r.columns[column-1].Kind == variants.Essential && r.columns[column-1].Type == "media" {
			place(asset, "value", column)
		}
	}
	return whole
}
