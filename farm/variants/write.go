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
