package tables

import (
	"errors"
	"fmt"

	"overcrank/farm"
	"overcrank/raftstore/layered"
)

// A rule may meet what can never be: a counter below zero, a change of status that is not allowed, a key that is too long for the file. Every
// node meets it at the same entry and again after each restart, so if nodes ended there the farm would be lost.
//
//   - A counter stays at zero, and the command goes on.
//   - A command that would break the state is refused and changes nothing; of one whose parts stand or are refused on their own, only the
//     part is.
//
// This too depends on the state and the command alone, so all nodes come to the same. A node that cannot read its own file is different: no other
// node has that fault, and it ends (tables.fail).

// breachAt is where a command would break the state: the entry among those that are applied together, and the part of its command.
type breachAt struct{ entry, part int }

// wholeCommand is the part of a breach outside of any.
const wholeCommand = -1

// breach is why a command, or a part of it, cannot be carried out.
type breach struct {
	at  breachAt
	why error
}

func (b *breach) Error() string { return b.why.Error() }

// refusal is what whoever asked for a command is told.
func (b *breach) refusal() *farm.Error {
	return farm.Errorf(farm.CodeInternal, "the change was refused and nothing was done, since it would have broken the farm's state: %w. "+
		"This is a fault of the program: please report it with the coordinator's log", b.why)
}

// breaks notes that the command under way cannot be carried out. Nothing that it wrote will come into force.
func (t *tables) breaks(why error) {
	if t.breach == nil {
		t.breach = &breach{at: t.at, why: why}
	}
}

// unwritable notes why a row was not written: a row that no file can hold is a breach, all else is a fault of this node.
func (t *tables) unwritable(err error) {
	if errors.Is(err, layered.ErrUnstorable) {
		t.breaks(err)
		return
	}
	t.fail(err)
}

// setRight notes something that could not be, and was set right on the way.
func (t *tables) setRight(format string, args ...any) {
	t.corrected = append(t.corrected, fmt.Errorf(format, args...))
}

// each carries out the parts of a command, each of which stands or is refused on its own.
func (t *tables) each(parts int, do func(i int) *farm.Error) []*farm.Error {
	refused := make([]*farm.Error, parts)
	for i := range refused {
		t.at.part = i
		if known := t.breaches[t.at]; known != nil {
			refused[i] = known.refusal()
			continue
		}
		if refused[i] = do(i); t.breach != nil {
			break // all of this is done once more without the part
		}
	}
	t.at.part = wholeCommand
	return refused
}
