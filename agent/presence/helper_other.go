//go:build !windows

package presence

import (
	"context"
	"errors"
)

// ReportInput is for Windows, where only a program in a session sees its input.
func ReportInput(context.Context) error {
	return errors.New("only Windows needs a helper that sees the input of a session")
}
