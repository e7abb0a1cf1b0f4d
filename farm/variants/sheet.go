// Package variants makes jobs of the rows of a table: one job for each row, and a column for what changes from job to job.
package variants

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Sheet is a table as it was read.
type Sheet struct {
	Text      string // all of it, as UTF-8 with single line feeds
	Columns   []string
	Rows      []Row
	Delimiter rune
	Remarks   []string // what was guessed while it was read
}

// Row is a line of a table that is not empty. Cells has as many as there are columns.
type Row struct {
	Line  int // in the file, from 1
	Cells []string
}

// What a table may hold. They are far beyond what people write, and keep what others send from taking all memory.
const (
	columnsLimit = 500
	rowsLimit    = 100_000
	headingLimit = 500     // bytes
	widthLimit   = 100_000 // delimiters in one line of the file
)

// delimiters are what may stand between two cells, in the order in which they are believed.
var delimiters = []rune{';', '\t', ','}

// ReadSheet reads a table with one line of headings. A delimiter of 0 is found out from the headings.
func ReadSheet(r io.Reader, delimiter rune) (*Sheet, error) {
	text, remark, err := readText(r)
	if err != nil {
		return nil, err
	}
	s := &Sheet{Text: string(text), Delimiter: delimiter}
	if remark != "" {
		s.Remarks = append(s.Remarks, remark)
	}
	above := 0
	// Spreadsheets write the delimiter into a line of its own, and take it from there.
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

// read takes the table apart; above is how many lines of the file stand before text.
func (s *Sheet) read(text []byte, above int) error {
	cr := csv.NewReader(bytes.NewReader(text))
	cr.FieldsPerRecord = -1
	if !validDelimiter(s.Delimiter) {
		return fmt.Errorf("%q cannot stand between cells", s.Delimiter)
	}
	cr.Comma = s.Delimiter
	// What spreadsheets put on the clipboard has tabs, and quotes that are just quotes.
	cr.LazyQuotes = s.Delimiter == '\t'
	if err := s.checkWidth(text, above); err != nil {
		return err
	}
	for {
		cells, err := cr.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			return fmt.Errorf("line %d: %w (a cell with a quote in it is written in quotes, with the inner one doubled)", wrong.Line+above, wrong.Err)
		}
		if err != nil {
			return err
		}
		line, _ := cr.FieldPos(0)
		line += above
		if s.Columns == nil {
			if err := s.head(cells, line); err != nil {
				return err
			}
			continue
		}
		if empty(cells) {
			continue
		}
		if len(cells) > len(s.Columns) && !empty(cells[len(s.Columns):]) {
			return fmt.Errorf("line %d has %d cells, but there are %d columns (cells are taken as separated by %s)",
				line, len(cells), len(s.Columns), delimiterName(s.Delimiter))
		}
		row := make([]string, len(s.Columns))
		copy(row, cells)
		for i, name := range s.Columns {
			if name == "" && strings.TrimSpace(row[i]) != "" {
				return fmt.Errorf("line %d: '%s' stands below no heading: column %d has no heading (one that begins with # leaves it out)", line, row[i], i+1)
			}
		}
		if len(s.Rows) == rowsLimit {
			return fmt.Errorf("the table has more than %d rows", rowsLimit)
		}
		for i := range row {
			row[i] = disarm(row[i])
		}
		s.Rows = append(s.Rows, Row{Line: line, Cells: row})
	}
	switch {
	case s.Columns == nil:
		return errors.New("the table is empty; its first line has to name the columns")
	case len(s.Rows) == 0:
		return errors.New("the table has no rows below its headings")
	}
	return nil
}

// checkWidth refuses lines of more cells than a table can have, before they are taken apart.
func (s *Sheet) checkWidth(text []byte, above int) error {
	delimiter := []byte(string(s.Delimiter))
	line := above
	for row := range bytes.Lines(text) {
		line++
		if n := bytes.Count(row, delimiter); n > widthLimit {
			return fmt.Errorf("line %d has %d cells; a table may have %d columns", line, n+1, columnsLimit)
		}
	}
	return nil
}

// head takes the headings, without empty ones at the end.
func (s *Sheet) head(cells []string, line int) error {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(cells) == 0 {
		return fmt.Errorf("line %d has to name the columns, but is empty", line)
	}
	if len(cells) > columnsLimit {
		return fmt.Errorf("line %d names %d columns; a table may have %d", line, len(cells), columnsLimit)
	}
	seen := map[string]bool{}
	for i, name := range cells {
		cells[i] = strings.TrimSpace(disarm(name))
		if len(name) > headingLimit {
			return fmt.Errorf("line %d: the heading of column %d is longer than %d bytes", line, i+1, headingLimit)
		}
		if cells[i] != "" && seen[cells[i]] {
			return fmt.Errorf("line %d: two columns are called '%s'", line, cells[i])
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

// guessDelimiter is the one that occurs most in the first line, outside quotes.
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

// validDelimiter tells whether a table can be read with cells separated by d.
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
