package boltfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"overcrank/raftstore/boltfile"
)

// filled makes a file with some buckets and a few hundred pages.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for b := range 4 {
			bucket, err := tx.CreateBucket([]byte(fmt.Sprint("bucket ", b)))
			if err != nil {
				return err
			}
			for k := range 500 {
				if err := bucket.Put([]byte(fmt.Sprintf("key %04d", k)), bytes.Repeat([]byte{byte(k)}, 300)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSoundFilesPass(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filled(t), empty, filepath.Join(t.TempDir(), "missing")} {
		db, err := boltfile.Open(path, &bbolt.Options{Timeout: time.Second})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDamageIsFoundWithoutEndingTheProcess(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	scattered := bytes.Clone(whole)
	for i := 0; i < len(scattered); i += 97 {
		scattered[i] ^= 0x5a
	}
	pages := bytes.Clone(whole)
	for i := 2 * page; i < len(pages); i += 7 {
		pages[i] ^= 0xff
	}
	zeros := bytes.Clone(whole)
	clear(zeros[2*page:])
	for name, content := range map[string][]byte{
		"noise": bytes.Repeat([]byte("not a database "), 4000), "a few bytes": whole[:100], "half": whole[:len(whole)/2/page*page],
		"bytes changed all over": scattered, "pages changed": pages, "pages of zeros": zeros,
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := openAndClose(path); !errors.Is(err, boltfile.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", name, err)
		}
	}
}

func TestAFileInUseIsNoDamage(t *testing.T) {
	path := filled(t)
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := openAndClose(path); !errors.Is(err, bbolterrors.ErrTimeout) {
		t.Errorf("%v, want a timeout", err)
	}
}

func openAndClose(path string) error {
	db, err := boltfile.Open(path, &bbolt.Options{Timeout: 50 * time.Millisecond, NoFreelistSync: true})
	if err != nil {
		return err
	}
	return db.Close()
}
