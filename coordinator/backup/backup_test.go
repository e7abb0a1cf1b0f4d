package backup_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"

	"overcrank/coordinator/backup"
	"overcrank/farm"
)

var passphrase = farm.NewConfidential("correct horse battery")

// made writes a backup of some keys, a state and two files.
func made(t *testing.T, keys bool) []byte {
	t.Helper()
	var out bytes.Buffer
	state := []byte("the state of the farm, as it was ")
	for i, random := 0, rand.New(rand.NewPCG(1, 2)); i < 1000; i++ {
		state = binary.BigEndian.AppendUint64(state, random.Uint64())
	}
	m := backup.Manifest{Version: "v9", Farm: "f1", CreatedAt: time.Date(2026, 11, 21, 22, 0, 0, 0, time.UTC), Index: 7, StateBytes: int64(len(state)), Keys: keys, Files: true}
	w, err := backup.NewWriter(&out, m, map[string][]byte{"farm.key": []byte("secret digits"), "ca.key": []byte("secret too")}, passphrase)
	for _, step := range []func() error{
		func() error { return w.AddState(int64(len(state)), bytes.NewReader(state)) },
		func() error { return w.AddFile("logs/a.log", 5, strings.NewReader("hello and more")) },
		func() error { return w.AddFile("blobs/b", 8, strings.NewReader("short")) },
		func() error { return w.Close() },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// taken is a sink that keeps what it is given.
type taken struct {
	manifest backup.Manifest
	keys     map[string][]byte
	state    string
	files    map[string]string
}

func (s *taken) Begin(m backup.Manifest) error {
	s.manifest, s.files = m, map[string]string{}
	return nil
}

func (s *taken) Keys(keys map[string][]byte) error { s.keys = keys; return nil }

func (s *taken) State(_ int64, r io.Reader) error {
	text, err := io.ReadAll(r)
	s.state = string(text)
	return err
}

func (s *taken) File(key string, _ int64, r io.Reader) error {
	text, err := io.ReadAll(r)
	s.files[key] = string(text)
	return err
}

func TestRoundTrip(t *testing.T) {
	for _, keys := range []bool{true, false} {
		content := made(t, keys)
		for _, r := range []io.Reader{bytes.NewReader(content), iotest.OneByteReader(bytes.NewReader(content))} {
			var got taken
			m, err := backup.Read(r, passphrase, &got)
			if err != nil {
				t.Fatal(err)
			}
			if m != got.manifest || m.Index != 7 || m.Format != backup.Format || m.Keys != keys || m.Version != "v9" {
				t.Errorf("the manifest reads as %+v", m)
			}
			if keys != (string(got.keys["farm.key"]) == "secret digits") || !strings.HasPrefix(got.state, "the state of the farm") || len(got.state) != int(m.StateBytes) {
				t.Errorf("keys %v; state of %d bytes", got.keys, len(got.state))
			}
			if got.files["logs/a.log"] != "hello" || got.files["blobs/b"] != "short\x00\x00\x00" {
				t.Errorf("the files read as %q", got.files)
			}
		}
	}
}

func TestKeysAreSealed(t *testing.T) {
	content := made(t, true)
	plain, err := zstd.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("secret")) || bytes.Contains(text, []byte("farm.key")) || !bytes.Contains(text, []byte("the state of the farm")) {
		t.Error("keys stand in the backup for everybody to read")
	}
	var got taken
	if _, err := backup.Read(bytes.NewReader(content), farm.NewConfidential("some other passphrase"), &got); !errors.Is(err, backup.ErrPassphrase) || got.state != "" {
		t.Errorf("a wrong passphrase: %v", err)
	}
	if _, err := backup.Read(bytes.NewReader(content), farm.Confidential{}, &got); err != nil || got.keys != nil {
		t.Errorf("no passphrase: %v", err)
	}
	if _, err := backup.NewWriter(io.Discard, backup.Manifest{Keys: true}, nil, farm.NewConfidential("short")); err == nil {
		t.Error("a short passphrase is taken")
	}
}

func TestTruncatedBackupIsRefused(t *testing.T) {
	content := made(t, false)
	for size := 0; size < len(content); size += 1 + size/20 {
		_, err := backup.Read(bytes.NewReader(content[:size]), passphrase, &taken{})
		if !errors.Is(err, backup.ErrTruncated) && !errors.Is(err, backup.ErrNotABackup) {
			t.Errorf("%d of %d bytes: %v", size, len(content), err)
		}
		if size > len(content)/2 && !errors.Is(err, backup.ErrTruncated) {
			t.Errorf("%d of %d bytes: %v", size, len(content), err)
		}
	}
	content = made(t, true)
	if _, err := backup.Read(bytes.NewReader(content[:len(content)-1]), passphrase, &taken{}); !errors.Is(err, backup.ErrTruncated) {
		t.Errorf("without the last byte: %v", err)
	}
}

func TestEveryChangedBitIsNoticed(t *testing.T) {
	for steps, keys := range map[int]bool{500: false, 6: true} { // each passphrase takes its time
		content := made(t, keys)
		for at := 0; at < len(content); at += 1 + len(content)/steps {
			altered := bytes.Clone(content)
			altered[at] ^= 0x10
			m, err := backup.Read(bytes.NewReader(altered), passphrase, &taken{})
			if err == nil {
				t.Errorf("byte %d of %d was changed unseen: %+v", at, len(content), m)
			}
		}
	}
}

// rewritten compresses a backup again after something in its archive was changed, all checksums of the compression being right.
func rewritten(t *testing.T, content []byte, change func([]byte) []byte) []byte {
	t.Helper()
	from, err := zstd.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	text, err := io.ReadAll(from)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to, err := zstd.NewWriter(&out)
	if err == nil {
		_, err = to.Write(change(text))
	}
	if err = errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestForgedBackupIsRefused(t *testing.T) {
	whole := made(t, true)
	replace := func(old, new string) func([]byte) []byte {
		return func(text []byte) []byte {
			if !bytes.Contains(text, []byte(old)) {
				t.Errorf("%q is not in the backup", old)
			}
			return bytes.Replace(text, []byte(old), []byte(new), 1)
		}
	}
	for name, test := range map[string]struct {
		change func([]byte) []byte
		want   error
	}{
		"another state":     {replace("the state of the farm", "the state of a fraud!"), backup.ErrAltered},
		"another manifest":  {replace(`"index": 7`, `"index": 8`), backup.ErrAltered},
		"a later format":    {replace(`"format": 1`, `"format": 2`), backup.ErrFormat},
		"without signature": {replace(`"mac"`, `"mad"`), backup.ErrAltered},
		"other sums":        {replace(`{"name":"files/logs/a.log"`, `{"name":"files/logs/b.log"`), backup.ErrAltered},
	} {
		_, err := backup.Read(bytes.NewReader(rewritten(t, whole, test.change)), passphrase, &taken{})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func TestErrorsOfSourceAndSink(t *testing.T) {
	broken := fmt.Errorf("the cable was pulled")
	content := made(t, false)
	r := io.MultiReader(bytes.NewReader(content[:len(content)/2]), iotest.ErrReader(broken))
	if _, err := backup.Read(r, farm.Confidential{}, &taken{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the source's error", err)
	}
	if _, err := backup.Read(bytes.NewReader(content), farm.Confidential{}, &full{broken: broken}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the sink's error", err)
	}
	for name, other := range map[string]string{"text": strings.Repeat("no backup at all ", 100), "nothing": ""} {
		if _, err := backup.Read(strings.NewReader(other), farm.Confidential{}, &taken{}); !errors.Is(err, backup.ErrNotABackup) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// full is a sink whose disk is full.
type full struct {
	taken
	broken error
}

func (f *full) State(int64, io.Reader) error { return f.broken }

func FuzzRead(f *testing.F) {
	f.Add([]byte("no backup"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if _, err := backup.Read(bytes.NewReader(content), farm.Confidential{}, &taken{}); err == nil {
			t.Error("a backup out of nothing")
		}
	})
}
