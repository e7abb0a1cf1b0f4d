package variants

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
)

// byteOrderMark tells spreadsheets that a table is UTF-8.
const byteOrderMark = "\ufeff"

// WriteSheet writes a table in the form that spreadsheets and ReadSheet read. Cells that a spreadsheet would evaluate as
// a formula are marked as text.
func WriteSheet(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(byteOrderMark)
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	err := write(w, rows)
	return b.Bytes(), err
}

// write writes rows, with cells that a spreadsheet would evaluate marked as text.
func write(w *csv.Writer, rows [][]string) error {
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = arm(cell)
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Spreadsheets evaluate a cell that begins with one of these as a formula, unless wordsMark comes before it.
const (
	formulaMarks = "=+-@\t\r"
	wordsMark    = "'"
)

func arm(cell string) string {
	if cell != "" && strings.ContainsAny(cell[:1], formulaMarks) && !slices.Contains(optionNames, strings.TrimPrefix(cell, optionMark)) {
		return wordsMark + cell
	}
	return cell
}

// disarm removes the mark that arm added.
func disarm(cell string) string {
	if len(cell) > 1 && strings.HasPrefix(cell, wordsMark) && strings.ContainsAny(cell[1:2], formulaMarks) {
		return cell[1:]
	}
	return cell
}

// Rewrite writes the columns and rows of a sheet as text that ReadSheet reads again, with the delimiter that it had: what cells mean depends
// on it. Empty lines are left out.
func (s *Sheet) Rewrite() (string, error) {
	rows := [][]string{s.Columns}
	for _, row := range s.Rows {
		rows = append(rows, slices.Concat(row.Cells, row.Extra))
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = s.Delimiter
	err := write(w, rows)
	return b.String(), err
}
