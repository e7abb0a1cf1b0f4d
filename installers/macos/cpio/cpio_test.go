package cpio_test

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"overcrank/installers/macos/cpio"
)

// sample is an archive with a file of each kind that a payload has.
func sample(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := cpio.NewWriter(&out)
	for _, f := range []struct {
		header cpio.Header
		data   string
	}{
		{cpio.Header{Name: ".", Mode: cpio.Directory | 0o755, ModTime: 1_700_000_000}, ""},
		{cpio.Header{Name: "./Application Support", Mode: cpio.Directory | 0o755, GID: 80, ModTime: 1_700_000_000}, ""},
		{cpio.Header{Name: "./Application Support/program", Mode: cpio.Regular | 0o755, ModTime: 1_700_000_000, Size: 5}, "hello"},
		{cpio.Header{Name: "./link", Mode: cpio.Symlink | 0o755, ModTime: 1_700_000_000, Size: 29}, "Application Support/a program"},
	} {
		if err := w.WriteHeader(f.header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnArchiveIsReadBack(t *testing.T) {
	t.Parallel()
	r := cpio.NewReader(bytes.NewReader(sample(t)))
	var names []string
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || int64(len(data)) != h.Size {
			t.Fatalf("%s: %d bytes of %d, %v", h.Name, len(data), h.Size, err)
		}
		names = append(names, h.Name)
		if h.Name == "./Application Support" && (h.GID != 80 || h.Links != 2 || h.Mode != cpio.Directory|0o755) {
			t.Errorf("%+v", h)
		}
		if h.Name == "./link" && string(data) != "Application Support/a program" {
			t.Errorf("the link leads to %q", data)
		}
	}
	if want := ". ./Application Support ./Application Support/program ./link"; strings.Join(names, " ") != want {
		t.Errorf("names %q", names)
	}
}

func TestCpioReadsIt(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("cpio")
	if err != nil {
		t.Skip("cpio is not installed: scripts/require packages")
	}
	list := exec.Command(program, "-itv", "--quiet")
	list.Stdin = bytes.NewReader(sample(t))
	out, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"drwxr-xr-x   2 root     80 ", "-rwxr-xr-x   1 root     root            5", "./link -> Application Support/a program"} {
		if !strings.Contains(strings.ReplaceAll(string(out), "nogroup", "80"), want) && !strings.Contains(string(out), want) {
			t.Errorf("cpio says nothing of %q:\n%s", want, out)
		}
	}
}

func TestEveryArchiveThatIsCutShortIsRefused(t *testing.T) {
	t.Parallel()
	whole := sample(t)
	for n := range len(whole) {
		if err := readAll(whole[:n]); !errors.Is(err, cpio.ErrFormat) {
			t.Fatalf("with %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestTheWriterRefusesWhatTheFormatCannotSay(t *testing.T) {
	t.Parallel()
	w := cpio.NewWriter(io.Discard)
	for _, h := range []cpio.Header{
		{Name: "./large", Size: 1 << 33}, {Name: "./early", ModTime: -1}, {Name: "./user", UID: 1 << 18}, {Name: ""},
		{Name: "TRAILER!!!"}, {Name: "a\x00b"},
	} {
		if err := w.WriteHeader(h); err == nil {
			t.Errorf("%+v was written", h)
		}
	}
	if err := w.WriteHeader(cpio.Header{Name: "./a", Mode: cpio.Regular, Size: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("abc")); err == nil {
		t.Error("more was written than the header said")
	}
	if err := w.Close(); err == nil {
		t.Error("an archive ended within a file")
	}
}

func FuzzReader(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte("070707"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := readAll(data); err != nil && !errors.Is(err, cpio.ErrFormat) {
			t.Fatal(err)
		}
	})
}

func readAll(data []byte) error {
	r := cpio.NewReader(bytes.NewReader(data))
	for {
		if _, err := r.Next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
	}
}
