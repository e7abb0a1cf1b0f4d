package gather

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ulikunitz/xz"

	"overcrank/ffmpeg"
	"overcrank/ffmpeg/build"
)

// program is a program for this machine; its text is looked through for options of configure.
func program(t *testing.T, options string) []byte {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("a program of this machine stands for ffmpeg, on Linux")
	}
	path, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program to take")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return append(content, options...)
}

// archived is an archive of that name with these files.
func archived(t *testing.T, name string, files map[string][]byte) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch filepath.Ext(name) {
	case ".zip":
		archive := zip.NewWriter(&b)
		for n, content := range files {
			f, err := archive.Create(n)
			if err == nil {
				_, err = f.Write(content)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		err = archive.Close()
	case ".xz":
		w, err = xz.NewWriter(&b)
	default:
		w = gzip.NewWriter(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	if w != nil {
		archive := tar.NewWriter(w)
		for n, content := range files {
			h := &tar.Header{Name: n, Size: int64(len(content)), Mode: 0o755, Typeflag: tar.TypeReg}
			if err := archive.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := archive.Write(content); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(archive.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestABuildIsGatheredFromEachKindOfArchive(t *testing.T) {
	p := program(t, "--enable-version3 --enable-libopenh264")
	files := map[string][]byte{
		"ffmpeg-7/bin/ffmpeg": p, "ffmpeg-7/bin/ffprobe": p, "ffmpeg-7/bin/ffplay": p, "ffmpeg-7/bin/libav.so.1": []byte("lib"),
		"ffmpeg-7/LICENSE.txt": []byte("you may"), "ffmpeg-7/doc/manual.html": []byte("…"), "other/libx.so": []byte("no"),
	}
	var first []byte
	for _, name := range []string{"a.zip", "a.tar.gz", "a.tar.xz"} {
		b, err := Read(archived(t, name, files))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if b.System != "linux" || b.Arch != runtime.GOARCH || b.Licence != ffmpeg.LGPL || !slices.Equal(b.Names(), []string{"LICENSE.txt", "ffmpeg", "ffprobe", "libav.so.1"}) {
			t.Errorf("%s: %s-%s, %s, %v", name, b.System, b.Arch, b.Licence, b.Names())
		}
		var out bytes.Buffer
		if err := b.Write(&out); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out.Bytes()
		}
		if !bytes.Equal(out.Bytes(), first) {
			t.Errorf("%s: the same files make other bytes", name)
		}
		path := filepath.Join(t.TempDir(), "build.zip")
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := build.Unpack(path, "linux", t.TempDir(), func(int64) error { return nil }); err != nil {
			t.Errorf("%s: machines refuse it: %v", name, err)
		}
	}
}

// TestTheLicenceBesideTheProgramsIsTheirs: archives bring those of libraries too, in folders of their own.
func TestTheLicenceBesideTheProgramsIsTheirs(t *testing.T) {
	p := program(t, "")
	for range 20 { // maps have another order each time
		b, err := Read(archived(t, "a.zip", map[string][]byte{
			"a/COPYING": []byte("of a"), "bin/ffmpeg": p, "bin/ffprobe": p, "bin/LICENSE": []byte("of ffmpeg"), "doc/LICENSE": []byte("of a library"), "z/COPYING": []byte("of z"),
		}))
		if err != nil {
			t.Fatal(err)
		}
		if string(b.files["LICENSE"]) != "of ffmpeg" || string(b.files["COPYING"]) != "of a" {
			t.Fatalf("the licences are %q and %q", b.files["LICENSE"], b.files["COPYING"])
		}
	}
}

func TestWhatIsNoBuildIsRefused(t *testing.T) {
	p := program(t, "")
	licence := []byte("you may")
	for name, files := range map[string]map[string][]byte{
		"no ffprobe":        {"ffmpeg": p, "LICENSE": licence},
		"no ffmpeg":         {"ffprobe": p, "LICENSE": licence},
		"no licence":        {"ffmpeg": p, "ffprobe": p},
		"a script":          {"ffmpeg": []byte("#!/bin/sh\n"), "ffprobe": p, "LICENSE": licence},
		"two ffmpegs":       {"a/ffmpeg": p, "a/ffprobe": p, "b/ffmpeg": p, "b/ffprobe": p, "LICENSE": licence},
		"a wrong ending":    {"ffmpeg.exe": p, "ffprobe.exe": p, "LICENSE": licence},
		"ffprobe elsewhere": {"a/ffmpeg": p, "b/ffprobe": p, "LICENSE": licence},
	} {
		if b, err := Read(archived(t, "a.zip", files)); !errors.Is(err, build.ErrRefused) {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
	for name, content := range map[string]string{"a.zip": "PK", "a.tar.xz": "\xfd7zXZ\x00", "a.tar.gz": "\x1f\x8b", "a.7z": "7z"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); !errors.Is(err, build.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	extra := filepath.Join(t.TempDir(), "lgpl.txt")
	if err := os.WriteFile(extra, licence, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := Read(archived(t, "a.zip", map[string][]byte{"ffmpeg": program(t, "--enable-gpl --enable-nonfree"), "ffprobe": p}), extra)
	if err != nil || b.Licence != ffmpeg.Nonfree || !slices.Contains(b.Names(), "LICENSE-lgpl.txt") {
		t.Errorf("%+v, %v", b, err)
	}
}
