package variants

import (
	"errors"
	"fmt"

	"overcrank/farm"
)

// CellError is an error in a cell, or a line that is not a row.
type CellError struct {
	Line    int    // in the file, from 1
	Column  int    // from 1; 0 for the whole line
	Heading string // of the column, "" for none
	Err     error
}

// Error is the line and the column, and what is wrong there.
func (e *CellError) Error() string {
	switch {
	case e.Heading != "":
		return fmt.Sprintf("line %d, column '%s': %s", e.Line, e.Heading, e.Err)
	case e.Column > 0:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Err)
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Err)
}

// Text is the error as pages say it.
func (e *CellError) Text() farm.Text {
	switch {
	case e.Heading != "":
		return farm.Say("line %d, column '%s': %s", e.Line, e.Heading, e.Err)
	case e.Column > 0:
		return farm.Say("line %d, column %d: %s", e.Line, e.Column, e.Err)
	}
	return farm.Say("line %d: %s", e.Line, e.Err)
}

// Unwrap is what is wrong with the cell.
func (e *CellError) Unwrap() error { return e.Err }

// brief is a cell as messages quote it, shortened.
func brief(cell string) string {
	const most = 60
	if r := []rune(cell); len(r) > most {
		return string(r[:most]) + "…"
	}
	return cell
}

// ColumnError is an error in a column's heading.
type ColumnError struct {
	Column string // its heading
	Err    error
}

// Error is the heading, and what is wrong with it.
func (e *ColumnError) Error() string { return fmt.Sprintf("column '%s': %s", e.Column, e.Err) }

// Text is the error as pages say it.
func (e *ColumnError) Text() farm.Text {
	return farm.Say("column '%s': %s", e.Column, e.Err)
}

// Unwrap is what is wrong with the column.
func (e *ColumnError) Unwrap() error { return e.Err }

// complaints collects errors, up to as many as a person would read.
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
		return errors.Join(append(c.said, farm.Errorf(farm.CodeInvalid, "and %d more", c.more))...)
	}
	return errors.Join(c.said...)
}
