package web

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
	"testing/iotest"

	"overcrank/coordinator/files"
	"overcrank/farm"
)

// film is a result in memory that notes whether it was closed.
type film struct {
	*bytes.Reader
	closed *int
}

func (f film) Close() error { *f.closed++; return nil }

func TestResultsArePackedAsTheyAre(t *testing.T) {
	long := strings.Repeat("frames ", 100_000)
	results := map[string]string{"a.mp4": long, "b.mp4": "b", "c.mov": "", "d.mp4": "d"}
	opened, closed := 0, 0
	z := newResultsZip(t.Context(), func(_ context.Context, name string) (*files.File, error) {
		if closed != opened {
			t.Error("two results are open at once")
		}
		body, ok := results[name]
		if !ok {
			return nil, farm.Errorf(farm.CodeGone, "the farm dropped it")
		}
		opened++
		return &files.File{ReadSeekCloser: film{bytes.NewReader([]byte(body)), &closed}, Name: name, Size: int64(len(body))}, nil
	})
	for i, name := range []string{"../../etc/passwd", "Spot", "SPOT", "Spot.mp4", "dropped"} {
		z.add(farm.Job{ID: "J" + string(rune('0'+i)), OutputName: []string{"a.mp4", "b.mp4", "c.mov", "d.mp4", "gone.mp4"}[i]}, name)
	}
	raw, err := io.ReadAll(iotest.OneByteReader(z))
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil || opened != 4 || closed != 4 {
		t.Errorf("%d opened, %d closed, %v", opened, closed, err)
	}
	r, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"_.._etc_passwd.mp4": long, "Spot.mp4": "b", "SPOT.mov": "", "Spot-2.mp4": "d", "not in here.txt": "dropped: the farm dropped it\r\n"}
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if expected, ok := want[f.Name]; err != nil || !ok || string(body) != expected {
			t.Errorf("%s holds %d bytes, %v", f.Name, len(body), err)
		}
		if path.Ext(f.Name) != ".txt" && f.Method != zip.Store {
			t.Errorf("%s is compressed", f.Name)
		}
		delete(want, f.Name)
	}
	if len(want) != 0 {
		t.Errorf("not in the zip: %v", want)
	}
}

func TestAZipThatCannotBeMadeBreaksOff(t *testing.T) {
	broken := errors.New("the disk is gone")
	z := newResultsZip(t.Context(), func(context.Context, string) (*files.File, error) { return nil, broken })
	z.add(farm.Job{OutputName: "a.mp4"}, "a")
	if _, err := io.ReadAll(z); !errors.Is(err, broken) {
		t.Errorf("it ends with %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	z = newResultsZip(ctx, nil)
	z.add(farm.Job{OutputName: "a.mp4"}, "a")
	if _, err := io.ReadAll(z); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopping farm ends it with %v", err)
	}
}
