package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/unicode/norm"

	"overcrank/aep"
	"overcrank/api/public"
	"overcrank/api/request"
	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/farm/variants"
	"overcrank/farm/wording"
	"overcrank/web/page"
)

const (
	// tableParts is how many values the form may hold: headings, what they are about, files.
	tableParts = 30_000
	// valueLimit bounds a value of the form, in bytes.
	valueLimit = 8 << 10
)

// tableForm is what the form of many jobs holds.
type tableForm struct {
	template, composition string
	version               int // of the template, 0 for the present one
	codec, name           string
	project               string // id, "" for none
	preview               bool
	order                 bool // the jobs are to be submitted, not only looked at
	rest                  bool // with order: those without errors
	more                  bool // the page is to show more rows
	text                  string
	fromFile              bool              // text came as a file
	tooLarge              bool              // the table is; text is its beginning
	heading               string            // whose meaning comes next
	about                 map[string]string // what columns are about, by heading
	kept                  map[string]page.TableFile

	batch, due, zone string            // of the batch, as they were typed
	shown            int               // rows that the page shows from the first on
	cells            map[string]string // edited in place, by page.CellName
	of               string            // the text that the cells were drawn of, by page.TextMark

	again         string       // the batch whose rows the table is of, "" for a table of new jobs
	anyEnded      bool         // of it, not only the rows that failed
	drawn, picked map[int]bool // rows of it that stood on the page, and those that were chosen there, from 0
}

func newTableForm() tableForm {
	return tableForm{about: map[string]string{}, kept: map[string]page.TableFile{}, cells: map[string]string{}, drawn: map[int]bool{}, picked: map[int]bool{}}
}

// tablePage shows the form of many jobs, empty.
func (s *server) tablePage(c *fiber.Ctx, p farm.Principal) error {
	if c.Query("template") == "" {
		ctx, cancel := s.callOf(c)
		defer cancel()
		return s.chooseTemplate(ctx, c, p, true)
	}
	view, _, err := s.tableView(c, p, tableForm{template: c.Query("template"), composition: c.Query("composition"), version: versionOf(c.Query("version"))})
	if err != nil {
		return err
	}
	return s.showTable(c, p, view)
}

// tableAgain leads those who read the table's address again, without a form, to the beginning.
func (s *server) tableAgain(c *fiber.Ctx, _ farm.Principal) error {
	return c.Redirect("/new", fiber.StatusSeeOther)
}

func (s *server) showTable(c *fiber.Ctx, p farm.Principal, view page.Table) error {
	section := "jobs"
	if view.Again != nil {
		section = "batches"
	}
	return s.render(c, page.TablePage(s.shell(c, p, say(c, "Many jobs"), section), view))
}

// tableTemplate gives a table to fill in: the layers of a composition that jobs change, with what they hold now.
func (s *server) tableTemplate(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	form, err := s.form(ctx, p, farm.JobTemplate{ID: c.Query("template"), Composition: c.Query("composition"), Version: versionOf(c.Query("version"))})
	if err != nil {
		return err
	}
	table, err := variants.WriteSheet(blankTable(form))
	if err != nil {
		return err
	}
	name := form.Template.DisplayName + " " + form.Composition.Name + ".csv"
	c.Set(fiber.HeaderContentType, "text/csv; charset=utf-8")
	c.Set(fiber.HeaderContentDisposition, mime.FormatMediaType("attachment", map[string]string{"filename": strings.ToValidUTF8(name, "_")}))
	return c.Send(table)
}

// blankTable is the headings of a composition and one row with what its layers hold. Cells of files are empty, which leaves
// the project's own in their place.
func blankTable(form page.NewJob) [][]string {
	headings, values := []string{"@name"}, []string{""}
	if panel := form.Template.Summary.Mogrt; panel != nil && len(panel.Fields) > 0 {
		for _, f := range panel.Fields {
			headings, values = append(headings, f.Name), append(values, fieldWords(f))
		}
		return [][]string{headings, values}
	}
	for _, f := range form.Fields {
		value := ""
		if f.Kind == "text" {
			value = f.Value
		}
		headings, values = append(headings, f.Layer), append(values, value)
	}
	return [][]string{headings, values}
}

func fieldWords(f aep.MogrtFieldSummary) string {
	switch v := f.Value.(type) {
	case nil:
		return ""
	case string:
		if f.Type == "media" {
			return ""
		}
		return v
	}
	raw, err := json.Marshal(f.Value)
	if err != nil {
		return ""
	}
	return string(raw)
}

// takeTable looks at a table, and submits its jobs when asked to and nothing is wrong.
func (s *server) takeTable(c *fiber.Ctx, p farm.Principal) error {
	form, err := s.readTableForm(c, p)
	if err != nil {
		return err
	}
	view, rows, err := s.tableView(c, p, form)
	if err != nil {
		return err
	}
	if !form.order {
		return s.showTable(c, p, view)
	}
	if form.again != "" && view.Sound() {
		return s.orderAgain(c, p, form, view, rows)
	}
	if ready := form.again == "" && view.Ready() || form.rest && view.Separable(); !ready {
		c.Status(fiber.StatusBadRequest)
		return s.showTable(c, p, view)
	}
	return s.orderTable(c, p, form, view, rows)
}

// orderTable submits those jobs of a table with which nothing is wrong, as one batch. Other rows, and those that are refused, come
// back as a table of their own.
func (s *server) orderTable(c *fiber.Ctx, p farm.Principal, form tableForm, view page.Table, rows tableRows) error {
	var jobs []submission.BatchEntry
	var of []int // their rows
	for i, wrong := range rows.wrong {
		if !wrong {
			jobs, of = append(jobs, rows.jobs[i]), append(of, i)
		}
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	label, err := readLabel(form.batch, form.due, form.zone)
	if err != nil {
		return err
	}
	result, err := s.farm.submitter.SubmitBatchAs(ctx, p, label, jobs)
	if err != nil {
		return err
	}
	if len(result.Errs) == 0 && len(jobs) == len(rows.rows) {
		return c.Redirect("/batches/"+result.Batch.ID, fiber.StatusSeeOther)
	}
	refused := make([]error, len(rows.rows))
	for i, err := range result.Errs {
		refused[of[i]] = err
	}
	if len(result.Jobs) == 0 {
		c.Status(fiber.StatusBadRequest)
	} else {
		if form.text, refused, err = rows.leave(refused); err != nil {
			return err
		}
		form.cells = nil
		if view, rows, err = s.tableView(c, p, form); err != nil {
			return err
		}
		view.Ordered, view.Batch = len(result.Jobs), result.Batch.ID
	}
	for i, err := range refused {
		if err != nil && i < len(rows.variants) {
			view.Refuse(reading(c), problemsOf(reading(c), rows.headings, rows.variants[i], err))
		}
	}
	return s.showTable(c, p, view)
}

// leave gives a table of the rows that were not submitted: those with something wrong, and those that were refused. The reasons come
// back as those of its rows.
func (r tableRows) leave(refused []error) (text string, why []error, err error) {
	left := variants.Sheet{Columns: r.headings, Delimiter: r.delimiter}
	for i, row := range r.rows {
		if r.wrong[i] || refused[i] != nil {
			left.Rows, why = append(left.Rows, row), append(why, refused[i])
		}
	}
	text, err = left.Rewrite()
	return text, why, err
}

// readTableForm reads the form, and keeps the files that came with it.
func (s *server) readTableForm(c *fiber.Ctx, p farm.Principal) (tableForm, error) {
	form := newTableForm()
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEMultipartForm {
		return form, farm.Errorf(farm.CodeInvalid, "the form has to be sent as %s", fiber.MIMEMultipartForm)
	}
	body, _, err := request.Body(c, handOverLimit)
	if err != nil {
		return form, err
	}
	parts := multipart.NewReader(body, params["boundary"])
	for range tableParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err == nil {
			err = s.takePart(s.asking(c), p, &form, part)
		}
		var known *farm.Error
		if err != nil && !errors.As(err, &known) {
			err = farm.Errorf(farm.CodeInvalid, "the form cannot be read; send it again").Because(err)
		}
		if err != nil {
			return form, err
		}
	}
	return form, farm.Errorf(farm.CodeInvalid, "the form has more than %d values", tableParts)
}

// takePart takes one value or file of the form.
func (s *server) takePart(ctx context.Context, p farm.Principal, form *tableForm, part *multipart.Part) error {
	switch name := part.FormName(); name {
	case "files":
		if part.FileName() == "" {
			return nil
		}
		f, err := s.farm.stored.Put(ctx, p, part.FileName(), part, -1)
		if err != nil {
			return err
		}
		form.keep(part.FileName(), f.Src())
		return nil
	case "table", "sheet":
		text, err := readPart(part, page.TableLimit)
		tooLarge := farm.CodeOf(err) == farm.CodeTooLarge
		if err != nil && !tooLarge {
			return err
		}
		// A file counts before what stands in the field of the cells; an empty file field does not.
		if name == "sheet" && text == "" || name == "table" && form.fromFile {
			return nil
		}
		if tooLarge {
			text = text[:strings.LastIndexByte(text, '\n')+1] // whole lines
			if isWorkbook(text) {
				text = "" // the beginning of a workbook is none
			}
		}
		form.text, form.tooLarge, form.fromFile = text, tooLarge, name == "sheet"
		return nil
	default:
		text, err := readPart(part, valueLimit)
		if err == nil {
			form.set(name, text)
		}
		return err
	}
}

// readPart reads a value of at most limit bytes. Of one that is larger it gives the beginning, with the error.
func readPart(part *multipart.Part, limit int64) (string, error) {
	raw, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err == nil && int64(len(raw)) > limit {
		raw = raw[:limit]
		err = farm.Errorf(farm.CodeTooLarge, "the form's value “%.40s” is larger than %s", part.FormName(), wording.Size(limit))
	}
	return string(raw), err
}

func (f *tableForm) set(name, value string) {
	switch name {
	case "template":
		f.template = value
	case "composition":
		f.composition = value
	case "version":
		f.version = versionOf(value)
	case "codec":
		f.codec = value
	case "project":
		f.project = value
	case "name":
		f.name = strings.TrimSpace(value)
	case "preview":
		f.preview = true
	case "do":
		f.rest = value == "rest"
		f.order = value == "order" || f.rest
		f.more = value == "more"
	case "heading":
		f.heading = value
	case "about":
		f.about[f.heading] = value
	case "batch":
		f.batch = value
	case "due":
		f.due = value
	case "zone":
		f.zone = value
	case "of":
		f.of = value
	case "shown":
		f.shown, _ = strconv.Atoi(value)
	case "again":
		f.again = value
	case "rows":
		f.anyEnded = value == "ended"
	case "drawn", "pick":
		f.chose(name == "pick", value)
	case "kept":
		src, name, _ := strings.Cut(value, " ")
		if strings.HasPrefix(src, farm.KeptScheme) && name != "" {
			f.keep(name, src)
		}
	default:
		if page.IsCellName(name) && len(f.cells) < tableParts {
			f.cells[name] = value
		}
	}
}

// chose notes that a row of a batch, by its number from 1, stood on the page, or was chosen there.
func (f *tableForm) chose(picked bool, value string) {
	row, err := strconv.Atoi(value)
	switch {
	case err != nil || row < 1 || row > public.BatchLimit:
	case picked:
		f.picked[row-1] = true
	default:
		f.drawn[row-1] = true
	}
}

// rows is how many rows the page shows from the first on.
func (f *tableForm) rows() int {
	shown := max(f.shown, rowsShown)
	if f.again != "" {
		shown = max(f.shown, rowsAgainShown)
	}
	if f.more {
		shown += rowsShown
	}
	return min(shown, public.BatchLimit)
}

// keep notes the address of a file that was handed over.
func (f *tableForm) keep(name, src string) {
	f.kept[fileKey(name)] = page.TableFile{Name: name, Src: src}
}

// fileKey is what files are matched by: the last part of a path, whatever its case and however its letters are composed.
func fileKey(name string) string {
	return norm.NFC.String(strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/"))))
}

// tableView looks at the table of a form: what its page shows, and its rows with the jobs that they order.
func (s *server) tableView(c *fiber.Ctx, p farm.Principal, form tableForm) (page.Table, tableRows, error) {
	ctx, cancel := s.callOf(c)
	defer cancel()
	var again *againTable
	var shown *page.Again
	if form.again != "" {
		var err error
		if again, shown, err = s.readAgain(ctx, p, &form); err != nil {
			return page.Table{}, tableRows{}, err
		}
	}
	one, err := s.form(ctx, p, farm.JobTemplate{ID: form.template, Composition: form.composition, Version: form.version})
	if err != nil {
		return page.Table{}, tableRows{}, err
	}
	if again != nil {
		again.of = variantsOf(one)
		if form.text == "" {
			if form.text, err = again.text(); err != nil {
				return page.Table{}, tableRows{}, err
			}
		}
	}
	view := page.Table{
		Template: one.Template, Version: one.Version, Composition: one.Composition, Choices: one.Choices,
		Codec: form.codec, Name: form.name, Preview: form.preview, Project: form.project,
		BatchName: form.batch, Due: form.due, Zone: cmp.Or(form.zone, "0"), Shown: form.rows(), Again: shown,
	}
	if view.Projects, err = s.openProjects(ctx, p); err != nil {
		return page.Table{}, tableRows{}, err
	}
	for _, key := range slices.Sorted(maps.Keys(form.kept)) {
		view.Files = append(view.Files, form.kept[key])
	}
	r := tableReader{form: form, view: &view, template: variantsOf(one), again: again, reads: reading(c)}
	if form.tooLarge {
		r.complain(r.say("the table is larger than %s; split it, or submit it from the command line", wording.Size(page.TableLimit)))
	}
	if strings.TrimSpace(form.text) == "" {
		if c.Method() == fiber.MethodPost && len(form.kept) == 0 && !form.tooLarge {
			r.complain(r.say("there is no table yet: drop one, or paste cells with their headings"))
		}
		return view, tableRows{}, nil
	}
	if _, err := readLabel(form.batch, form.due, form.zone); err != nil {
		r.complain(r.say("name and due time of the batch: %s", r.words(err)))
	}
	if isWorkbook(form.text) {
		done, err := s.workbooks.await(ctx, p.Team)
		if err != nil {
			return page.Table{}, tableRows{}, err
		}
		defer done()
	}
	rows := r.read()
	if form.tooLarge {
		view.Text = "" // nobody should take its beginning for all of it
	}
	return view, rows, nil
}

// variantsOf is what a table's columns can be about.
func variantsOf(one page.NewJob) variants.Template {
	t := variants.Template{Composition: one.Composition.Name}
	for _, c := range one.Template.Summary.Compositions {
		t.Compositions = append(t.Compositions, variants.Composition{ID: c.ID, Name: c.Name, Root: c.Root})
		for _, l := range c.Layers {
			t.Layers = append(t.Layers, variants.Layer{Composition: c.ID, Name: l.Name, Type: l.Type, Media: l.Media})
		}
	}
	if panel := one.Template.Summary.Mogrt; panel != nil {
		for _, f := range panel.Fields {
			t.Fields = append(t.Fields, variants.Field{Name: f.Name, Type: f.Type})
		}
	}
	return t
}
