package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator/submission"
	"overcrank/farm"
	"overcrank/farm/variants"
	"overcrank/web/language"
	"overcrank/web/page"
)

// rowHeading is that of the column that says which row of its batch a line is. It is a note to readers of tables, so that no job gets it.
const rowHeading = "#row"

// againTable is the table of rows of a batch that are submitted again: what each of them was given, and why it failed.
type againTable struct {
	batch farm.Batch
	rows  map[int]submission.Row // by number from 0
	order []int                  // of the rows that are shown at first
	drawn map[int]bool           // rows that stood on the page
	pick  map[int]bool           // of these, those to be submitted again
	of    variants.Template
}

// editBatch shows rows of a batch in the table that made them, to be changed and submitted again.
func (s *server) editBatch(c *fiber.Ctx, p farm.Principal) error {
	form := newTableForm()
	form.again = c.Params("id")
	form.template, form.composition, form.version = c.Query("template"), c.Query("composition"), versionOf(c.Query("version"))
	form.anyEnded = c.Query("rows") == "ended"
	view, _, err := s.tableView(c, p, form)
	if err != nil {
		return err
	}
	return s.showTable(c, p, view)
}

// readAgain reads the rows of a batch that a form is about: those of one version of one template. The form gets that of the first of them unless
// it names one.
func (s *server) readAgain(ctx context.Context, p farm.Principal, form *tableForm) (*againTable, *page.Again, error) {
	rows, batch, err := s.farm.submitter.BatchRows(ctx, p, form.again, func(j farm.Job) bool {
		return j.Status == farm.JobFailed || j.Status == farm.JobCancelled || form.anyEnded && j.Status.Ended()
	})
	if err != nil {
		return nil, nil, err
	}
	title, err := s.titleBatch(ctx, p, batch)
	if err != nil {
		return nil, nil, err
	}
	a := &againTable{batch: batch, rows: map[int]submission.Row{}, drawn: form.drawn, pick: form.picked}
	view := &page.Again{Batch: batch.ID, Title: title, AnyEnded: form.anyEnded}
	for _, row := range rows {
		asked := row.Again.Template
		if row.Err != nil || asked.ID == "" {
			view.Fixed++
			continue
		}
		of := &row.Again.Template
		if of.Version, err = s.keptVersion(ctx, p, asked); err != nil {
			return nil, nil, err
		}
		if form.template == "" {
			form.template, form.composition, form.version = of.ID, of.Composition, of.Version
		}
		if of.ID != form.template || of.Composition != form.composition || of.Version != form.version {
			view.AddOther(of.ID, of.Composition, of.Version)
			continue
		}
		view.Gone = view.Gone || of.Version != asked.Version
		a.rows[row.Number] = row
		a.order = append(a.order, row.Number)
	}
	view.Rows = len(a.order)
	if form.template == "" {
		return nil, nil, farm.Errorf(farm.CodeNotFound, "batch “%s” has no failed row that can be edited here", view.Title)
	}
	return a, view, nil
}

// textOf writes the rows as the table that makes them.
func (a *againTable) text() (string, error) {
	abouts, framed, ranked := a.columns()
	sheet := variants.Sheet{Columns: []string{rowHeading, "@name"}, Delimiter: ','}
	if framed {
		sheet.Columns = append(sheet.Columns, "@frames")
	}
	if ranked {
		sheet.Columns = append(sheet.Columns, "@priority")
	}
	sheet.Columns = append(sheet.Columns, abouts...)
	for _, number := range a.order {
		cells := make([]string, len(sheet.Columns))
		for i, heading := range sheet.Columns {
			cells[i] = a.cell(number, heading)
		}
		sheet.Rows = append(sheet.Rows, variants.Row{Cells: cells})
	}
	return sheet.Rewrite()
}

// columns are those that the rows' assets need, in the order in which they come, and whether any row has frames or a priority of its own.
func (a *againTable) columns() (abouts []string, framed, ranked bool) {
	for _, number := range a.order {
		job := a.rows[number].Again
		framed, ranked = framed || job.Settings.Frames != nil, ranked || job.Priority != 0
		for _, asset := range job.Assets {
			if about := a.about(asset); about != "" && !slices.Contains(abouts, about) {
				abouts = append(abouts, about)
			}
		}
	}
	return abouts, framed, ranked
}

// cell is what a row was given in a column. Files have no words: their addresses may hold secrets, and the row keeps them.
func (a *againTable) cell(number int, heading string) string {
	job := a.rows[number].Again
	switch heading {
	case rowHeading:
		return strconv.Itoa(number + 1)
	case "@name":
		return job.Name
	case "@priority":
		return strconv.Itoa(job.Priority)
	case "@frames":
		if f := job.Settings.Frames; f != nil && f.Single {
			return strconv.Itoa(f.Start)
		} else if f != nil {
			return fmt.Sprintf("%d-%d", f.Start, f.End)
		}
		return ""
	}
	for _, asset := range job.Assets {
		if a.about(asset) == heading {
			return cellOf(asset)
		}
	}
	return ""
}

// about is the heading of the column that an asset comes from, "" for one that no cell can say: it stays as it was.
func (a *againTable) about(asset farm.Asset) string {
	if asset.Composition != "" || asset.LayerIndex != 0 || asset.Expression != "" || asset.LayerName == "" {
		return ""
	}
	heading, kind := asset.LayerName, variants.LeftOut
	switch asset.Type {
	case "text":
		kind = variants.Words
	case "image", "video", "audio":
		kind = variants.Media
	case "essential":
		kind = variants.Essential
	case "data":
		heading, kind = asset.LayerName+":"+asset.Property, variants.Property
	}
	found := a.of.Columns([]string{heading}, nil)[0]
	if kind == variants.LeftOut || found.Err != nil || found.Kind != kind || found.Name != asset.LayerName || found.Property != asset.Property {
		return ""
	}
	return found.About
}

// cellOf is the value of an asset as it stands in a cell.
func cellOf(asset farm.Asset) string {
	if holdsFile(asset) {
		return ""
	}
	var words string
	if json.Unmarshal(asset.Value, &words) != nil {
		words = string(asset.Value)
	}
	return lineFeeds(words)
}

// holdsFile tells whether an asset brings a file.
func holdsFile(asset farm.Asset) bool { return asset.Src != "" || asset.MediaValue() != "" }

func lineFeeds(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// fileOf is what people call the file of an asset, "" when its address does not say.
func fileOf(asset farm.Asset) string {
	if asset.Name != "" {
		return asset.Name
	}
	u, err := url.Parse(asset.Src)
	if err != nil || u.Path == "" || strings.HasPrefix(asset.Src, "data:") {
		return ""
	}
	return path.Base(u.Path)
}

// numberOf reads which row a line of the table is; ok is false for one that is none of the form's.
func (a *againTable) numberOf(v variants.Variant) (number int, ok bool) {
	n, err := strconv.Atoi(strings.TrimSpace(v.Cells[rowHeading]))
	_, known := a.rows[n-1]
	return n - 1, err == nil && known
}

// picked tells whether a row is to be submitted again: rows are, until somebody says that they are not. Of rows that ended well none is until
// somebody says so.
func (a *againTable) picked(number int) bool {
	if a.drawn[number] {
		return a.pick[number]
	}
	return a.rows[number].Was.Status == farm.JobFailed
}

// job is what a row is given now: what it was given before, with what its cells say anew.
func (a *againTable) job(number int, v variants.Variant, sent farm.Job, columns []variants.Column) farm.Job {
	before := a.rows[number].Again
	out := before
	out.Strict = true
	out.Name = sent.Name
	fresh := map[string]farm.Asset{}
	for _, asset := range sent.Assets {
		fresh[a.about(asset)] = asset
	}
	changed := map[string]bool{}
	for _, c := range columns {
		changed[c.About] = c.Kind != variants.Option && c.Kind != variants.LeftOut && lineFeeds(v.Cells[c.Heading]) != a.cell(number, c.About)
		switch c.About {
		case "@frames":
			out.Settings.Frames = sent.Settings.Frames
		case "@priority":
			out.Priority = sent.Priority
		}
	}
	out.Assets = nil
	for _, asset := range before.Assets {
		about := a.about(asset)
		anew, given := fresh[about]
		switch {
		case about == "" || !changed[about]:
			out.Assets = append(out.Assets, asset)
		case given:
			out.Assets = append(out.Assets, anew)
		}
		delete(changed, about)
	}
	for _, asset := range sent.Assets {
		if changed[a.about(asset)] {
			out.Assets = append(out.Assets, asset)
		}
	}
	return out
}

// ofAsset finds which asset of a job a failure is about, by its number from 0.
var ofAsset = regexp.MustCompile(`\(asset (\d+)\)`)

// blamed is the column that a row failed for, "" when nobody can tell.
func (a *againTable) blamed(row submission.Row) string {
	if row.Was.Status != farm.JobFailed {
		return ""
	}
	if m := ofAsset.FindStringSubmatch(row.Was.Error); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n < len(row.Again.Assets) {
			return a.about(row.Again.Assets[n])
		}
	}
	if row.Cause.Subject == "" {
		return ""
	}
	for _, asset := range row.Again.Assets {
		about := a.about(asset)
		if about == "" {
			continue
		}
		names := []string{asset.LayerName, asset.Src}
		if file := fileOf(asset); file != "" {
			names = append(names, file)
		}
		if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, row.Cause.Subject) }) {
			return about
		}
	}
	return ""
}

// tell puts beside a row's cells what it was given before, and why it failed. What somebody has changed is not blamed any more.
func (a *againTable) tell(shown *page.TableRow, number int, v variants.Variant, columns []variants.Column) {
	row := a.rows[number]
	shown.Row, shown.Picked, shown.Before = number+1, a.picked(number), page.StateOf(row.Was)
	blamed, at := a.blamed(row), -1
	for i, c := range columns {
		if !(page.TableColumn{About: c.About}).Shown() {
			continue
		}
		at++
		if at >= len(shown.Cells) {
			break
		}
		cell := &shown.Cells[at]
		cell.Label = fmt.Sprintf("%s, row %d", c.Heading, number+1)
		for _, asset := range row.Again.Assets {
			if c.About != "" && a.about(asset) == c.About && holdsFile(asset) {
				cell.Kept = fileOf(asset)
				if cell.Kept == "" {
					cell.Kept = language.Text("the file as before")
				}
			}
		}
		if c.About == blamed && blamed != "" {
			if lineFeeds(v.Cells[columns[i].Heading]) == a.cell(number, c.About) {
				cell.Failed = row.Was.Error
			}
			shown.Told = true
		}
	}
	if !shown.Told {
		shown.Failed = row.Was.Error
	}
}

// orderAgain submits the chosen rows of a table as new takes of their rows. Those that are refused come back with why.
func (s *server) orderAgain(c *fiber.Ctx, p farm.Principal, form tableForm, view page.Table, rows tableRows) error {
	var takes []submission.Take
	at := map[int]int{} // lines of the table, by row
	for i, v := range rows.variants {
		number, known := rows.again.numberOf(v)
		if known && rows.again.picked(number) {
			takes = append(takes, submission.Take{Row: number, Job: &rows.jobs[i].Job})
			at[number] = i
		}
	}
	if len(takes) == 0 {
		c.Status(fiber.StatusBadRequest)
		view.Complain(say(c, "choose at least one row"))
		return s.showTable(c, p, view)
	}
	ctx, cancel := s.callOf(c)
	defer cancel()
	result, err := s.farm.submitter.RetakeRows(ctx, p, form.again, takes)
	if err != nil {
		return err
	}
	if len(result.Errs) == 0 {
		return c.Redirect("/batches/"+form.again, fiber.StatusSeeOther)
	}
	if len(result.Jobs) == 0 {
		c.Status(fiber.StatusBadRequest)
	}
	view.Ordered, view.Batch = len(result.Jobs), form.again
	for _, take := range takes {
		if err := result.Errs[take.Row]; err != nil {
			problems := problemsOf(reading(c), rows.headings, rows.variants[at[take.Row]], err)
			for i := range problems {
				problems[i].Row = take.Row + 1
			}
			view.Refuse(reading(c), problems)
		}
	}
	view.KeepRows(func(r page.TableRow) bool { return result.Errs[r.Row-1] != nil || !r.Picked })
	return s.showTable(c, p, view)
}
