package variants

import (
	"errors"
	"fmt"
)

// CellError tells of a cell that cannot be taken, or of a line that is no row.
type CellError struct {
	Line    int    // in the file, from 1
	Column  int    // from 1; 0 where it is about the whole line
	Heading string // of the column, "" where it has none
	Err     error
}

// Error implements error.
func (e *CellError) Error() string {
	switch {
	case e.Heading != "":
		return fmt.Sprintf("line %d, column '%s': %s", e.Line, e.Heading, e.Err)
	case e.Column > 0:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Err)
}

// Unwrap gives what is wrong with the cell.
func (e *CellError) Unwrap() error { return e.Err }

// brief is a cell as messages quote it: some are longer than anybody reads.
func brief(cell string) string {
	const most = 60
	if r := []rune(cell); len(r) > most {
		return string(r[:most]) + "…"
	}
	return cell
}

// ColumnError tells of a column that is about nothing that is known.
type ColumnError struct {
	Column string // its heading
	Err    error
}

// Error implements error.
func (e *ColumnError) Error() string { return fmt.Sprintf("column '%s': %s", e.Column, e.Err) }

// Unwrap gives what is wrong with the column.
func (e *ColumnError) Unwrap() error { return e.Err }

// complaints collect what is wrong, as far as a person would read on.
type complaints struct {
	said []error
	more int
}

const complaintsLimit = 20

func (c *complaints) add(err error) {
	if len(c.said) == complaintsLimit {
		c.more++
		return
	}
	c.said = append(c.said, err)
}

func (c *complaints) addAll(wrong []*CellError) {
	for _, err := range wrong {
		c.add(err)
	}
}

func (c *complaints) none() bool { return len(c.said) == 0 }

func (c *complaints) err() error {
	if c.more > 0 {
		return errors.Join(append(c.said, fmt.Errorf("and %d more", c.more))...)
	}
	return errors.Join(c.said...)
}
