// Package aerender is the command line of the embedded engine: aerender's flags, lines and exit codes.
package aerender

import (
	"context"
	"io"
)

// Main runs the program and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	panic("skeleton: helper B2")
}
