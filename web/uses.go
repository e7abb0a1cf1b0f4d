package web

import (
	"context"

	"overcrank/farm"
)

// uses is what pages ask of the farm about what jobs use.
type uses interface {
	Uses(ctx context.Context, p farm.Principal, kind farm.UseKind, subject string) ([]farm.Use, error)
}
