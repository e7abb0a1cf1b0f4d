package variants

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
)

// byteOrderMark tells spreadsheets that a table is UTF-8.
const byteOrderMark = "\ufeff"

// WriteSheet writes a table as spreadsheets and ReadSheet take it. Cells that a spreadsheet would work out as a formula are
// marked as words.
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

// Spreadsheets take a cell for a formula that begins with one of these, and for words when wordsMark stands before it.
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

// disarm takes the mark of words away again.
func disarm(cell string) string {
	if len(cell) > 1 && strings.HasPrefix(cell, wordsMark) && strings.ContainsAny(cell[1:2], formulaMarks) {
		return cell[1:]
	}
	return cell
}
