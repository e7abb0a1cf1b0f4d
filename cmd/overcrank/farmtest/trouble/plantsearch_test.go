//go:build linux

package trouble_test

import (
	"bytes"
	"encoding/base64"
	varint "encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"

	"overcrank/raftstore/seglog"
)

// planted are values in all the forms in which a careless program might have written them down.
type planted struct{ forms [][]byte }

func plant(values ...string) planted {
	var p planted
	add := func(form string) { p.forms = append(p.forms, []byte(form)) }
	for _, value := range values {
		add(value)
		add(url.QueryEscape(value))
		add(url.PathEscape(value))
		add(hex.EncodeToString([]byte(value)))
		add(strings.ToUpper(hex.EncodeToString([]byte(value))))
		for shift := range 3 { // base64 of a text that holds the value
			text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), value...))
			add(text[4 : len(text)-3])
		}
	}
	return p
}

// databases names the records of the farm's state and log below dir that hold the value within what is packed in them with S2,
// which has no mark to search for. The farm must have stopped.
func (p planted) databases(t *testing.T, dir string) (found []string) {
	t.Helper()
	look := func(what string, record []byte) {
		for _, text := range unpackContents(record) {
			if where := p.in(text); where != "" {
				found = append(found, what+", packed, "+where)
			}
		}
	}
	db, err := bbolt.Open(filepath.Join(dir, "state", "state.db"), 0o600, &bbolt.Options{ReadOnly: true, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(bucket []byte, b *bbolt.Bucket) error {
			return b.ForEach(func(key, value []byte) error {
				look(fmt.Sprintf("state.db %s/%q", bucket, key), value)
				return nil
			})
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	log, err := seglog.Open(seglog.Config{Folder: filepath.Join(dir, "state", "log")})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := log.FirstIndex()
	last, _ := log.LastIndex()
	for index := first; index <= last; index++ {
		var entry raft.Log
		if err := log.GetLog(index, &entry); err != nil {
			t.Fatal(err)
		}
		look(fmt.Sprint("entry ", index), entry.Data)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return found
}

// unpackContents unpacks what in a record is marked as packed: the record itself, or a part of it that has its length as a
// varint before it.
func unpackContents(record []byte) (texts [][]byte) {
	try := func(packed []byte) {
		if size, err := s2.DecodedLen(packed); err == nil && size < 64<<20 {
			if text, err := s2.Decode(nil, packed); err == nil {
				texts = append(texts, text)
			}
		}
	}
	for i, c := range record {
		if c != 's' {
			continue
		}
		if i == 0 {
			try(record[1:])
		}
		for back := 1; back <= min(i, varint.MaxVarintLen32); back++ {
			if size, n := varint.Uvarint(record[i-back : i]); n == back && size > 1 && size <= uint64(len(record)-i) {
				try(record[i+1 : i+int(size)])
			}
		}
	}
	return texts
}

// in tells where a text holds the value in one of its forms, also within what is compressed there.
func (p planted) in(text []byte) string {
	for _, form := range p.forms {
		if at := bytes.Index(text, form); at >= 0 {
			return fmt.Sprintf("as %q at byte %d", form, at)
		}
	}
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	for at := bytes.Index(text, magic); at >= 0; {
		plain, _ := unpack(text[at:])
		for _, form := range p.forms {
			if bytes.Contains(plain, form) {
				return fmt.Sprintf("as %q in what is compressed at byte %d", form, at)
			}
		}
		next := bytes.Index(text[at+4:], magic)
		if next < 0 {
			break
		}
		at += 4 + next
	}
	return ""
}

// unpack decompresses one frame at the beginning of b, as far as it goes.
func unpack(b []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 8<<20))
}

// files names the files below dir that hold the value.
func (p planted) files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreGone(err)
		}
		if where := p.in([]byte(path)); where != "" {
			found = append(found, path+" in its name")
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return ignoreGone(err)
		}
		if where := p.in(text); where != "" {
			found = append(found, path+" "+where)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// watchProcesses looks at the arguments and environments of all processes that it may, until stop, which tells which of
// them held the value and how many it looked at.
func (p planted) watchProcesses() (stop func() (held []string, looked int)) {
	quit, done := make(chan struct{}), make(chan struct{})
	var held []string
	looked := 0
	go func() {
		defer close(done)
		for {
			paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, path := range paths {
				for _, file := range []string{path, filepath.Join(filepath.Dir(path), "environ")} {
					text, err := os.ReadFile(file)
					if err != nil {
						continue // it has ended, or is another user's
					}
					looked++
					if p.stands(text) && !ofTheStore(path) {
						held = append(held, file)
					}
				}
			}
			select {
			case <-quit:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() ([]string, int) {
		close(quit)
		<-done
		return held, looked
	}
}

// stands reports whether a text holds the value as it is written.
func (p planted) stands(text []byte) bool {
	return slices.ContainsFunc(p.forms, func(form []byte) bool { return bytes.Contains(text, form) })
}

// ofTheStore reports whether a command line is that of the S3 server, which gets its own secret as an argument, or of a process that has ended: it may
// have been its last one.
func ofTheStore(cmdline string) bool {
	line, err := os.ReadFile(cmdline)
	return err != nil || bytes.Contains(line, []byte("versitygw"))
}

func zstdOf(t *testing.T, text []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(text, nil)
}
