// Package variants turns the rows of a table into jobs: each row is a job, and each column is something that differs
// between them.
package variants

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"overcrank/farm"
)

// Sheet is a table as it was read.
type Sheet struct {
	Text      string // all of it, as UTF-8 with single line feeds
	Columns   []string
	Rows      []Row
	Delimiter rune
	Remarks   []farm.Text // what was guessed while reading
	// Wrong are headings that cannot be used, whose columns are left out, and lines that are not rows.
	Wrong []*CellError

	unheaded map[int]bool // columns whose heading is in Wrong
}

// Row is a line of a table that is not empty. Cells has one for each column.
type Row struct {
	Line  int // in the file, from 1
	Cells []string
	Extra []string     // cells after the last column
	Wrong []*CellError // cells without a heading
}

// What a table may hold: far more than people write, and little enough that no table uses up the memory.
const (
	columnsLimit = 500
	rowsLimit    = 100_000
	headingLimit = 500     // bytes
	widthLimit   = 100_000 // delimiters in one line of the file
	brokenLimit  = 100     // lines that are not rows
)

// delimiters are the characters that may separate cells; of equally likely ones the first is taken.
var delimiters = []rune{';', '\t', ','}

// ReadSheet reads a table with one line of headings. A delimiter of 0 is guessed from the headings. A line that cannot
// be read does not affect the others: it is noted in the sheet. An error means that there are no rows; the sheet then
// has what was read before it, such as the headings, or is nil.
func ReadSheet(r io.Reader, delimiter rune) (*Sheet, error) {
	text, remark, err := readText(r)
	if err != nil {
		return nil, err
	}
	s := &Sheet{Text: string(text), Delimiter: delimiter}
	if !remark.IsZero() {
		s.Remarks = append(s.Remarks, remark)
	}
	above := 0
	// Spreadsheets write, and read, the delimiter on a line of its own.
	if first, rest, _ := bytes.Cut(text, []byte("\n")); len(first) == 5 && strings.EqualFold(string(first[:4]), "sep=") {
		text, above = rest, 1
		if s.Delimiter == 0 {
			s.Delimiter = rune(first[4])
		}
	}
	if s.Delimiter == 0 {
		s.Delimiter = guessDelimiter(text)
	}
	return s, s.read(text, above)
}

// read parses the table; above is how many lines of the file come before text.
func (s *Sheet) read(text []byte, above int) error {
	if !validDelimiter(s.Delimiter) {
		return farm.Errorf(farm.CodeInvalid, "%q cannot separate cells", s.Delimiter)
	}
	text, err := s.leaveOutWide(text, above)
	if err != nil {
		return err
	}
	for {
		broken, err := s.readRows(text, above)
		if err != nil {
			return err
		}
		if broken == nil {
			break
		}
		if len(s.Wrong) >= brokenLimit {
			return farm.Errorf(farm.CodeInvalid, "%w; too many lines cannot be read, so that those below were not tried", broken)
		}
		s.Wrong = append(s.Wrong, broken)
		// A quote that is never closed swallows the lines after it: reading goes on at the next line.
		text, above = behindLine(text, broken.Line-above), broken.Line
	}
	slices.SortStableFunc(s.Wrong, func(a, b *CellError) int { return cmp.Compare(a.Line, b.Line) })
	switch {
	case s.Columns == nil:
		return farm.Errorf(farm.CodeInvalid, "the table is empty; its first line has to name the columns")
	case len(s.Rows) == 0:
		wrong := &complaints{}
		wrong.addAll(s.Wrong)
		wrong.add(farm.Errorf(farm.CodeInvalid, "the table has no rows below its headings"))
		return wrong.err()
	}
	return nil
}

// readRows reads rows until a line is not one; that line is returned, or nil at the end.
func (s *Sheet) readRows(text []byte, above int) (broken *CellError, err error) {
	cr := csv.NewReader(bytes.NewReader(text))
	cr.FieldsPerRecord = -1
	cr.Comma = s.Delimiter
	// Tables from the clipboard are separated by tabs, and their quotes have no meaning.
	cr.LazyQuotes = s.Delimiter == '\t'
	for {
		cells, err := cr.Read()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			broken := s.cellError(wrong.StartLine+above, len(cells), quoteError(wrong.Err))
			if s.Columns == nil {
				return nil, broken
			}
			return broken, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := cr.FieldPos(0)
		if err := s.take(cells, line+above); err != nil {
			return nil, err
		}
	}
}

// quoteError says plainly what is wrong with the quotes of a cell.
func quoteError(err error) error {
	if errors.Is(err, csv.ErrBareQuote) {
		return farm.Errorf(farm.CodeInvalid, "a cell contains a quote but is not in quotes: put it in quotes, and write the quote in it twice")
	}
	return farm.Errorf(farm.CodeInvalid, "the quotes of this cell do not match: put a cell that contains a quote in quotes, and write the quote in it twice")
}

// behindLine is the text after its first n lines.
func behindLine(text []byte, n int) []byte {
	for ; n > 0; n-- {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

// take adds one line: the headings or a row.
func (s *Sheet) take(cells []string, line int) error {
	if s.Columns == nil {
		return s.head(cells, line)
	}
	if empty(cells) {
		return nil
	}
	if len(s.Rows) == rowsLimit {
		return farm.Errorf(farm.CodeInvalid, "the table has more than %d rows", rowsLimit)
	}
	row := Row{Line: line, Cells: make([]string, len(s.Columns))}
	if copy(row.Cells, cells) < len(cells) && !empty(cells[len(s.Columns):]) {
		row.Extra = cells[len(s.Columns):]
	}
	for i, cell := range cells {
		if i < len(s.Columns) && (s.Columns[i] != "" || s.unheaded[i]) || strings.TrimSpace(cell) == "" {
			continue
		}
		row.Wrong = append(row.Wrong, s.cellError(line, i, s.belowNothing(cell, i, len(cells))))
		break // one error is enough: the cells after it have no heading either
	}
	for i := range row.Cells {
		row.Cells[i] = disarm(row.Cells[i])
	}
	s.Rows = append(s.Rows, row)
	return nil
}

// belowNothing is the error for a cell without a heading, in a line of so many cells.
func (s *Sheet) belowNothing(cell string, column, cells int) error {
	if column < len(s.Columns) {
		return farm.Errorf(farm.CodeInvalid, "'%s' has no heading (a heading that begins with # leaves a column out)", brief(cell))
	}
	return farm.Errorf(farm.CodeInvalid, "'%s' has no heading: the line has %d cells, and there are %d columns (read with cells separated by %s)",
		brief(cell), cells, len(s.Columns), delimiterName(s.Delimiter))
}

// cellError is an error in the cell of a column, counted from 0.
func (s *Sheet) cellError(line, column int, err error) *CellError {
	wrong := &CellError{Line: line, Column: column + 1, Err: err}
	if column < len(s.Columns) {
		wrong.Heading = s.Columns[column]
	}
	return wrong
}

// leaveOutWide drops lines of more cells than a table can have, before they are parsed, and notes each.
func (s *Sheet) leaveOutWide(text []byte, above int) ([]byte, error) {
	delimiter := []byte(string(s.Delimiter))
	var kept []byte // nil until a line is dropped
	line, at := above, 0
	for row := range bytes.Lines(text) {
		line++
		n := bytes.Count(row, delimiter)
		switch {
		case n > widthLimit:
			wide := &CellError{Line: line, Err: farm.Errorf(farm.CodeInvalid, "the line has %d cells; a table may have %d columns", n+1, columnsLimit)}
			if line == above+1 || len(s.Wrong) == brokenLimit {
				return nil, wide
			}
			s.Wrong = append(s.Wrong, wide)
			if kept == nil {
				kept = append(make([]byte, 0, len(text)), text[:at]...)
			}
			kept = append(kept, '\n') // lines keep their numbers
		case kept != nil:
			kept = append(kept, row...)
		}
		at += len(row)
	}
	if kept == nil {
		return text, nil
	}
	return kept, nil
}

// head reads the headings, without empty ones at the end. One that cannot be used is noted, and its column left out.
func (s *Sheet) head(cells []string, line int) error {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return farm.Errorf(farm.CodeInvalid, "line %d has to name the columns, but is empty", line)
	}
	if len(cells) > columnsLimit {
		return farm.Errorf(farm.CodeInvalid, "line %d names %d columns; a table may have %d", line, len(cells), columnsLimit)
	}
	seen := map[string]bool{}
	s.unheaded = map[int]bool{}
	for i, name := range cells {
		cells[i] = strings.TrimSpace(disarm(name))
		var wrong error
		switch {
		case len(name) > headingLimit:
			wrong = farm.Errorf(farm.CodeInvalid, "the heading is longer than %d bytes", headingLimit)
		case cells[i] != "" && seen[cells[i]]:
			wrong = farm.Errorf(farm.CodeInvalid, "two columns are called '%s'", cells[i])
		}
		if wrong != nil {
			s.Wrong = append(s.Wrong, &CellError{Line: line, Column: i + 1, Err: wrong})
			cells[i], s.unheaded[i] = "", true
			continue
		}
		seen[cells[i]] = true
	}
	s.Columns = cells
	return nil
}

func empty(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

// guessDelimiter is the delimiter that occurs most in the first line, outside quotes.
func guessDelimiter(text []byte) rune {
	counts := map[rune]int{}
	quoted := false
	for _, r := range string(text) {
		if r == '"' {
			quoted = !quoted
		}
		if r == '\n' && !quoted {
			break
		}
		if !quoted {
			counts[r]++
		}
	}
	best, most := ',', 0
	for _, d := range delimiters {
		if counts[d] > most {
			best, most = d, counts[d]
		}
	}
	return best
}

// validDelimiter tells whether d can separate the cells of a table.
func validDelimiter(d rune) bool {
	return d > 0 && d != '"' && d != '\n' && d != '\r' && d != '\uFFFD' && d <= '\U0010FFFF' && (d < 0xD800 || d > 0xDFFF)
}

func delimiterName(d rune) string {
	switch d {
	case ',':
		return "commas"
	case ';':
		return "semicolons"
	case '\t':
		return "tabs"
	}
	return fmt.Sprintf("%q", d)
}
