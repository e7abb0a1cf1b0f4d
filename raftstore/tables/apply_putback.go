package tables

import (
	"encoding/binary"
	"fmt"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// incomingHead is the key, in bucketIncoming, of what is known of the restoration under way; its parts lie beside it.
const incomingHead = "head"

// Standstill is after how long without another part a restoration is given up for another.
const Standstill = 15 * time.Second

// restoration is a restoration under way.
type restoration struct {
	ID    string    `json:"id"`
	Parts int       `json:"parts"` // that have come
	At    time.Time `json:"at"`    // of the last of them
}

// Keys of bucketMeta about when the state was replaced last, each 8 bytes; they are not there where it never was.
const (
	metaAttempts = "attempts from" // number behind which all attempts begin since
	metaReplaced = "replaced at"   // as timeKey has it
)

func incomingKey(number int) string { return fmt.Sprintf("part %010d", number) }

func (t *tables) restoration() (r restoration, found bool) {
	return get[restoration](t, bucketIncoming, incomingHead)
}

func (t *tables) stageState(c command.StageState) command.Result {
	if err := checkID("restoration", c.Restoration); err != nil {
		return refuse(err)
	}
	now, going := t.restoration()
	switch {
	case c.Number == 0 && going && now.ID != c.Restoration && c.At.Sub(now.At) < Standstill:
		return refuse(RestoringAlready())
	case c.Number == 0 && (!going || now.ID != c.Restoration):
		t.dropIncoming()
		now = restoration{ID: c.Restoration}
	case !going || now.ID != c.Restoration:
		return refuse(givenUp())
	case c.Number != now.Parts:
		return refusef(farm.CodeConflict, "part %d of the state comes where part %d is due", c.Number, now.Parts)
	}
	t.set(bucketIncoming, incomingKey(c.Number), c.Rows)
	now.Parts++
	now.At = c.At
	put(t, bucketIncoming, incomingHead, now)
	return command.Result{}
}

func (t *tables) dropStagedState(c command.DropStagedState) command.Result {
	if now, going := t.restoration(); !going || now.ID != c.Restoration {
		return refuse(givenUp())
	}
	t.dropIncoming()
	return command.Result{}
}

func (t *tables) dropIncoming() {
	for _, key := range t.keysUnder(bucketIncoming, "") {
		t.remove(bucketIncoming, key)
	}
}

// replaceState says why the state is not replaced. When nothing is refused the node replaces it, see putback_swap.go of package raftstore.
func (t *tables) replaceState(c command.ReplaceState) command.Result {
	now, going := t.restoration()
	switch {
	case !going || now.ID != c.Restoration:
		return refuse(givenUp())
	case now.Parts != c.Parts:
		return refusef(farm.CodeConflict, "%d parts of the state have come of %d", now.Parts, c.Parts)
	}
	return command.Result{}
}

// RestoringAlready refuses a restoration beside another.
func RestoringAlready() *farm.Error {
	return farm.Errorf(farm.CodeConflict, "the farm is being restored already; wait until that has ended")
}

func givenUp() *farm.Error {
	return farm.Errorf(farm.CodeConflict, "the restoration has been given up, because it stood still or another began; begin anew")
}

// nextAttempt is the number of a task's next lease.
func (t *tables) nextAttempt(task farm.Task) int {
	return max(task.Attempt, t.attemptsFrom()) + 1
}

func (t *tables) attemptsFrom() int {
	value := t.value(bucketMeta, metaAttempts)
	if len(value) != 8 {
		return 0
	}
	return int(binary.BigEndian.Uint64(value))
}

// AttemptsFrom is the number behind which all attempts begin since the state was put back to that of a backup, 0 when it never was.
func (tx *Tx) AttemptsFrom() (int, error) { return tx.t.attemptsFrom(), tx.t.err }

// NextAttempt is the number of a task's next lease: the one behind its last. On a farm that was put back to a backup it is above all
// that were given out before, so that no number comes to name two leases.
func (tx *Tx) NextAttempt(task farm.Task) (int, error) { return tx.t.nextAttempt(task), tx.t.err }

// ReplacedAt is when the state was put back to that of a backup last, zero when it never was.
func (tx *Tx) ReplacedAt() (time.Time, error) {
	value := tx.t.value(bucketMeta, metaReplaced)
	if len(value) != timeKeySize {
		return time.Time{}, tx.t.err
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(value)^1<<63)), tx.t.err
}

// Restoring says since when nothing has come of a restoration under way, and which it is; "" when there is none.
func (tx *Tx) Restoring() (id string, since time.Time, err error) {
	r, _ := tx.t.restoration()
	return r.ID, r.At, tx.t.err
}

// RefusesReplacement says whether replaceState refuses a command.
func (tx *Tx) RefusesReplacement(c command.ReplaceState) bool {
	return tx.t.replaceState(c).Refused != nil
}

// StagedPart is a part of the state that is being staged; nil when it is not there.
func (tx *Tx) StagedPart(number int) []byte { return tx.t.value(bucketIncoming, incomingKey(number)) }
