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
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = arm(cell)
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
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
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = s.Delimiter
	for i := -1; i < len(s.Rows); i++ {
		cells := s.Columns
		if i >= 0 {
			cells = slices.Concat(s.Rows[i].Cells, s.Rows[i].Extra)
		}
		armed := make([]string, len(cells))
		for j, cell := range cells {
			armed[j] = arm(cell)
		}
		if err := w.Write(armed); err != nil {
			return "", err
		}
	}
	w.Flush()
	return b.String(), w.Error()
}
