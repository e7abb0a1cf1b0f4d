// Package people is who may use the farm: teams, the tokens of programs and of people, the links and passwords by which people sign in, and their
// sessions.
package people

import (
	"context"
	"log/slog"
	"time"

	"overcrank/coordinator/state"
)

// tokenPrefix begins each API token.
const tokenPrefix = "oct_"

// Directory looks after teams, tokens, passwords and sessions. Its methods may be called at the same time.
type Directory struct {
	state   *state.State
	derive  func(purpose string, size int) []byte
	log     *slog.Logger
	uses    *uses
	hashing *hashing
	tries   *tries
	askTry  func(context.Context, Try) (wait time.Duration, err error)
}

// NewDirectory makes a directory. derive makes keys of the farm's key: what links that sign in are signed with. askTry asks the
// coordinator that leads for its TakeTry.
func NewDirectory(s *state.State, derive func(purpose string, size int) []byte, askTry func(context.Context, Try) (time.Duration, error), log *slog.Logger) *Directory {
	return &Directory{state: s, derive: derive, log: log, uses: newUses(), hashing: newHashing(), tries: newTries(), askTry: askTry}
}
