package terminal

import (
	"bufio"
	"io"
	"strings"
	"unicode"
)

// gap is how many columns lie between two cells.
const gap = 2

// Table is rows of cells that are written with their columns aligned by the width they have on a terminal, where a Chinese
// character is two columns wide and a combining accent none.
type Table struct {
	rows     [][]string
	widths   []int
	headings bool
}

// NewTable starts a table with a line of headings, or without one.
func NewTable(headings ...string) *Table {
	t := &Table{}
	if len(headings) > 0 {
		t.Row(headings...)
		t.headings = true
	}
	return t
}

// Row adds a row. What a terminal would take as a command, and line breaks, become spaces.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = Plain(cell)
		if i == len(t.widths) {
			t.widths = append(t.widths, 0)
		}
		t.widths[i] = max(t.widths[i], columns(row[i]))
	}
	t.rows = append(t.rows, row)
}

// Empty tells whether the table has no rows below its headings.
func (t *Table) Empty() bool { return len(t.rows) == 0 || t.headings && len(t.rows) == 1 }

// WriteTo writes the table. No line ends with spaces.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	b := bufio.NewWriter(w)
	var written int64
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", t.widths[i]-columns(cell)+gap))
			}
		}
		n, err := b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, b.Flush()
}

// Plain is text on one line without control characters: a name from outside cannot move the cursor or change colours.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return -1 // embeddings and overrides of direction, which would turn the rest of the line around
		}
		return r
	}, s)
}

// Lines is Plain for text of several lines, which stay apart.
func Lines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = Plain(line)
	}
	return strings.Join(lines, "\n")
}
