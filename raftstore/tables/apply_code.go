package tables

import (
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// codesDropped is how many codes whose time is over one command forgets at most.
const codesDropped = 100

// useCode remembers a code for as long as it would be good.
func (t *tables) useCode(c command.UseCode) command.Result {
	if err := checkID("code", c.Hash); err != nil {
		return refuse(err)
	}
	key := timeKey(c.Until) + c.Hash
	if !c.At.Before(c.Until) || t.has(bucketUsedCodes, key) {
		return refusef(farm.CodeGone, "the code was used before, or has run out")
	}
	now := timeKey(c.At)
	var over []string
	cursor := t.cursor(bucketUsedCodes)
	for key, _ := cursor.First(); len(key) > 8 && string(key[:8]) <= now && len(over) < codesDropped; key, _ = cursor.Next() {
		over = append(over, string(key))
	}
	for _, key := range over {
		t.remove(bucketUsedCodes, key)
	}
	t.set(bucketUsedCodes, key, nil)
	if c.Team != "" {
		t.note(farm.EventAccess, c.Team, c.Hash)
	}
	return command.Result{}
}

// CodeUsed says whether a code has been used up that would be good until a time.
func (tx *Tx) CodeUsed(hash string, until time.Time) (bool, error) {
	return tx.t.has(bucketUsedCodes, timeKey(until)+hash), tx.t.err
}
