// Package people is who may use the farm: teams, the tokens of programs and of people, the links by which people sign in, and their sessions.
package people

import (
	"log/slog"

	"overcrank/coordinator/state"
)

// tokenPrefix begins each API token.
const tokenPrefix = "oct_"

// Directory looks after teams, tokens and sessions. Its methods may be called at the same time.
type Directory struct {
	state  *state.State
	derive func(purpose string, size int) []byte
	log    *slog.Logger
	uses   *uses
}

// NewDirectory makes a directory. derive makes keys of the farm's key: what links that sign in are signed with.
func NewDirectory(s *state.State, derive func(purpose string, size int) []byte, log *slog.Logger) *Directory {
	return &Directory{state: s, derive: derive, log: log, uses: newUses()}
}
