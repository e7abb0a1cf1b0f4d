// Package library is what a team keeps for its jobs beside templates: fonts, which jobs find by their names, files of its own, and secrets,
// which jobs refer to by name and whose values only the machines that render them get.
package library

import (
	"context"

	"overcrank/farm"
)

// Members tells who is still in a team.
type Members interface {
	// StillIn is an error when the caller was let in and is a member no more, as after an upload that took long.
	StillIn(ctx context.Context, p farm.Principal) error
}
