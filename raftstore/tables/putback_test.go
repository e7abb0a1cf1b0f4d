package tables

import (
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"overcrank/raftstore/command"
	"overcrank/raftstore/commandtest"
	"overcrank/raftstore/layered"
)

// TestAnyStateTakesThePlaceOfAnyLaterOne makes a random state that follows on a later one, as when a farm is put back to a backup, and looks
// whether its indexes and counters are those of its records, then and while the farm goes on.
func TestAnyStateTakesThePlaceOfAnyLaterOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := populated(t)
		live := func(m *rig, from, to int) {
			for step := range rapid.IntRange(from, to).Draw(t, "steps") {
				m.do(commandtest.Draw(t, step))
			}
		}
		live(m, 1, 25)
		backup := filepath.Join(filepath.Dir(m.db.Path()), "backup")
		m.copyTo(backup)
		live(m, 0, 25)
		db, err := bbolt.Open(backup, 0o600, &bbolt.Options{NoSync: true})
		if err != nil {
			t.Fatalf("%v", err)
		}
		index := uint64(len(m.log) + 1)
		m.read(func(living *Tx) error {
			return db.Update(func(tx *bbolt.Tx) error {
				if err := layered.DropSums(tx); err != nil {
					return err
				}
				for _, bucket := range keptBuckets() { // they do not come back, and so they are not in what is brought
					if err := tx.DeleteBucket(bucket); err != nil {
						return err
					}
				}
				if err := CreateBuckets(tx); err != nil {
					return err
				}
				_, err := PutInPlace(tx, living, index, 1, []byte("entry"), epoch)
				return err
			})
		})
		codec, err := command.NewCodec(Definitions())
		if err != nil {
			t.Fatalf("%v", err)
		}
		back := newRigOn(t, db, codec)
		defer func() { back.end(); _ = os.Remove(backup) }()
		back.log = make([]Entry, index)
		seen := look(t, back, commandtest.Seen{}, nil)
		for step := range rapid.IntRange(0, 20).Draw(t, "steps after") {
			cmd := commandtest.DrawMove(t, step, seen)
			if cmd == nil || rapid.Bool().Draw(t, "any") {
				cmd = commandtest.Draw(t, step)
			}
			back.do(cmd)
			seen = look(t, back, commandtest.Seen{}, nil)
		}
	})
}
