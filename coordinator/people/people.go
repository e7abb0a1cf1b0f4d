// Package people is who may use the farm: teams, the tokens of programs and of people, the links by which people sign in, and their sessions.
package people

import (
	"log/slog"

	"overcrank/coordinator/state"
)

// tokenPrefix begins each API token.
const tokenPrefix = "oct_"

// Desk looks after teams, tokens and sessions. Its methods may be called at the same time.
type Desk struct {
	state  *state.State
	derive func(purpose string, size int) []byte
	log    *slog.Logger
	uses   *uses
}

// NewDesk makes a desk. derive makes keys of the farm's key: what links that sign in are signed with.
func NewDesk(s *state.State, derive func(purpose string, size int) []byte, log *slog.Logger) *Desk {
	return &Desk{state: s, derive: derive, log: log, uses: newUses()}
}
