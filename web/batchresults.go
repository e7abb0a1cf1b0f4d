package web

import (
	"context"
	"encoding/csv"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/variants"
	"overcrank/web/page"
)

// batchRow is a job of a batch with what its row in the table said.
type batchRow struct {
	farm.Job
	title string
	cells map[string]string // by column
	row   int               // in what was submitted, from 1
}

// batchRows are the jobs of a batch in the order of their rows, and the columns that any of them has.
type batchRows struct {
	batch   farm.Batch
	title   string
	rows    []batchRow
	columns []string
}

// readBatchRows reads all jobs of a batch: at most as many as one batch may have.
func (s *server) readBatchRows(ctx context.Context, p farm.Principal, id string) (b batchRows, err error) {
	batch, jobs, err := s.farm.batches.Batch(ctx, p, id)
	if err != nil {
		return b, err
	}
	b.batch = batch
	if b.title, err = s.titleBatch(ctx, p, batch); err != nil {
		return b, err
	}
	known := map[string]bool{}
	for _, listed := range batch.Jobs {
		job, there := jobs[listed.ID]
		if !there {
			continue
		}
		title, err := s.titleOf(ctx, p, job)
		if err != nil {
			return b, err
		}
		row := batchRow{Job: job, title: title, cells: map[string]string{}, row: listed.Index + 1}
		for _, a := range job.Assets {
			column, value, ok := page.AssetCell(a)
			if !ok {
				continue
			}
			row.cells[column] = value
			if !known[column] {
				known[column] = true
				b.columns = append(b.columns, column)
			}
		}
		b.rows = append(b.rows, row)
	}
	return b, nil
}

// The placeholders of a pattern for file names, beside the columns of the batch.
const (
	namePlaceholder = "name"
	rowPlaceholder  = "row"
	jobPlaceholder  = "job"
)

// usualPattern is how the files of a batch are called when nobody says otherwise.
const usualPattern = "{" + namePlaceholder + "}"

// longestPattern bounds a pattern, in bytes.
const longestPattern = 500

// checkPattern refuses a pattern that names what the batch does not have.
func (b batchRows) checkPattern(pattern string) error {
	if len(b.rows) == 0 {
		return nil
	}
	var problem farm.Text
	if len(pattern) > longestPattern {
		problem = farm.Say("is longer than %d bytes", longestPattern)
	} else if err := variants.CheckPattern(pattern, []variants.Variant{{}}, b.placeholders()...); err != nil {
		problem = farm.Say("cannot be used: %v", err)
	}
	if problem.IsZero() {
		return nil
	}
	return farm.Invalid("the files cannot be called that", farm.Field("names", "%s", problem))
}

func (b batchRows) placeholders() []string {
	return append([]string{namePlaceholder, rowPlaceholder, jobPlaceholder}, b.columns...)
}

// fill makes the name of a row's file of a pattern.
func (r batchRow) fill(pattern string, digits int) string {
	values := map[string]string{namePlaceholder: r.title, rowPlaceholder: fmt.Sprintf("%0*d", digits, r.row), jobPlaceholder: r.ID}
	for column, value := range r.cells {
		if _, own := values[column]; !own {
			values[column] = value
		}
	}
	return variants.Variant{}.Fill(pattern, values)
}

// digits is how many digits the numbers of rows have, so that files stand in the order of their rows.
func (b batchRows) digits() int { return len(strconv.Itoa(max(1, b.batch.Total))) }

// finished are the rows that have a result.
func (b batchRows) finished() []batchRow {
	return slices.DeleteFunc(slices.Clone(b.rows), func(r batchRow) bool { return r.Status != farm.JobFinished })
}

// batchResults answers with all finished results of a batch as one file, under names by a pattern.
func (s *server) batchResults(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	b, err := s.readBatchRows(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	pattern := patternOf(c)
	if err := b.checkPattern(pattern); err != nil {
		return err
	}
	z := newResultsZip(s.base, s.farm.results.Open)
	for _, row := range b.finished() {
		z.add(row.Job, row.fill(pattern, b.digits()))
	}
	if len(z.left) == 0 {
		return farm.Errorf(farm.CodeNotFound, "no job of this batch is finished yet")
	}
	return answer.Download(c, z, "application/zip", b.fileName("results", ".zip"))
}

// patternOf is the pattern that a request asks for. It may be text of any kind.
func patternOf(c *fiber.Ctx) string {
	if pattern := strings.TrimSpace(strings.ToValidUTF8(strings.Clone(c.Query("names")), "")); pattern != "" {
		return pattern
	}
	return usualPattern
}

// fileName is what a file about the batch is called.
func (b batchRows) fileName(of, ext string) string {
	var safe names.Files
	return safe.Name(b.title, of, ext)
}

// namesShown is how many names a preview of a pattern shows.
const namesShown = 12

// batchDownload shows what the files of a batch will be called.
func (s *server) batchDownload(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	b, err := s.readBatchRows(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	v := page.BatchNames{Batch: b.batch.ID, Title: b.title, Pattern: patternOf(c), Placeholders: b.placeholders(), Finished: len(b.finished())}
	if err := b.checkPattern(v.Pattern); err != nil {
		v.Problem = sayError(c, err)
		c.Status(fiber.StatusBadRequest)
	} else {
		v.Names = b.preview(v.Pattern)
	}
	return s.render(c, page.BatchNamesPage(s.shell(c, p, say(c, "Download %s", b.title), "batches"), v))
}

// preview are the first names that a pattern gives, of the rows that have a result, or of all while none has.
func (b batchRows) preview(pattern string) (list []string) {
	rows := b.finished()
	if len(rows) == 0 {
		rows = b.rows
	}
	var call names.Files
	for _, row := range rows[:min(len(rows), namesShown)] {
		ext, folder := path.Ext(row.OutputName), ""
		if row.Sequence() {
			ext, folder = "", "/"
		}
		list = append(list, call.Name(row.fill(pattern, b.digits()), row.ID, ext)+folder)
	}
	return list
}

// batchTable answers with what became of each row of a batch, for spreadsheets.
func (s *server) batchTable(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	b, err := s.readBatchRows(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	rows := [][]string{slices.Concat([]string{"row", "name"}, plainCells(b.columns), []string{"job", "state", "output", "error", "finished at"})}
	for _, r := range b.rows {
		rows = append(rows, s.tableRow(b, r))
	}
	if err := w.WriteAll(rows); err != nil {
		return fmt.Errorf("writing the results of batch %s: %w", b.batch.ID, err)
	}
	return answer.Download(c, readCloser{strings.NewReader(text.String())}, "text/csv; charset=utf-8", b.fileName("results", ".csv"))
}

// tableRow is what became of a row. An address is given once it leads somewhere.
func (s *server) tableRow(b batchRows, r batchRow) []string {
	cells := []string{strconv.Itoa(r.row), plainCell(r.title)}
	for _, column := range b.columns {
		cells = append(cells, plainCell(r.cells[column]))
	}
	output, finished := "", ""
	if (page.Job{Job: r.Job}).Reachable() {
		output = s.farm.jobs.OutputAddress(r.Job)
	}
	if !r.FinishedAt.IsZero() {
		finished = r.FinishedAt.UTC().Format(time.RFC3339)
	}
	return append(cells, r.ID, strings.ToLower(page.StateOf(r.Job).Word), output, plainCell(r.Error), finished)
}

func plainCells(list []string) []string {
	plain := make([]string, len(list))
	for i, text := range list {
		plain[i] = plainCell(text)
	}
	return plain
}
