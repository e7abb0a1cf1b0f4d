package boltfile_test

import (
	"fmt"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"overcrank/raftstore/boltfile"
)

func TestReleasedPagesComeBack(t *testing.T) {
	db, err := boltfile.Open(filled(t), &bbolt.Options{Timeout: time.Second, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for round := range 3 {
		err := db.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("bucket 1")).Put([]byte("key 0007"), fmt.Append(nil, "round ", round))
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.View(boltfile.Release); err != nil {
			t.Fatal(err)
		}
		err = db.View(func(tx *bbolt.Tx) error {
			if got := string(tx.Bucket([]byte("bucket 1")).Get([]byte("key 0007"))); got != fmt.Sprint("round ", round) {
				t.Errorf("what was written reads as %q", got)
			}
			if got := tx.Bucket([]byte("bucket 3")).Get([]byte("key 0499")); len(got) != 300 {
				t.Errorf("what was there reads as %q", got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
