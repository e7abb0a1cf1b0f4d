package reader_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"overcrank/aep"
	"overcrank/aep/aeptest"
	"overcrank/coordinator/reader"
)

// What this program is when it is started with one of these words.
const (
	reads   = "read"
	babbles = "babble" // writes without end
	crashes = "crash"
	faults  = "fault" // as the garbage collector does that gets no memory

	looks     = "look"
	looksLong = "look-long"
	looksHard = "look-hard" // taking more memory than it may
	looksDown = "look-down" // and crashes
)

// ways are those in which this program looks at a project.
var ways = map[string]reader.Look{
	reads: nil,
	looks: func(_ context.Context, p *aep.Project, job reader.Job) (*aep.Preflight, error) {
		return &aep.Preflight{Compositions: []aep.Forecast{{Composition: p.Items[0].Name, Verdict: aep.DrawsNearly, More: job.Each}}}, nil
	},
	looksLong: func(context.Context, *aep.Project, reader.Job) (*aep.Preflight, error) { select {} },
	looksHard: func(context.Context, *aep.Project, reader.Job) (*aep.Preflight, error) {
		for kept := [][]byte{}; ; {
			kept = append(kept, bytes.Repeat([]byte("x"), 1<<20))
		}
	},
	looksDown: func(context.Context, *aep.Project, reader.Job) (*aep.Preflight, error) { panic("as asked") },
}

func TestMain(m *testing.M) {
	if len(os.Args) != 2 {
		os.Exit(m.Run())
	}
	if look, known := ways[os.Args[1]]; known {
		if err := reader.Main(context.Background(), os.Stdin, os.Stdout, look); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	switch os.Args[1] {
	case babbles:
		for {
			if _, err := os.Stdout.Write(bytes.Repeat([]byte("{"), 64<<10)); err != nil {
				os.Exit(1)
			}
		}
	case crashes:
		panic("as asked")
	case faults:
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Signal(syscall.SIGSEGV)
		}
		select {}
	default:
		os.Exit(m.Run())
	}
}

func program(t *testing.T, word string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, word}
}

// bounds that no file of these tests reaches: what reads gives way to all other programs of a busy machine.
var bounds = reader.Bounds{Memory: 1 << 30, Within: 10 * time.Minute, Look: 5 * time.Minute}

func job(t *testing.T, typ string, content []byte) reader.Job {
	t.Helper()
	dir := t.TempDir()
	j := reader.Job{Path: filepath.Join(dir, "file"), Type: typ, Scratch: filepath.Join(dir, "scratch")}
	if err := errors.Join(os.WriteFile(j.Path, content, 0o600), os.Mkdir(j.Scratch, 0o700)); err != nil {
		t.Fatal(err)
	}
	return j
}

func project(t *testing.T) []byte {
	t.Helper()
	p := &aep.Project{Version: aep.Version{Major: 24, Minor: 1, OS: "windows"}, ExpressionEngine: "javascript-1.0", BitsPerChannel: 8}
	p.Items = append(p.Items, &aep.Item{ID: 1, Name: "main", Kind: aep.ItemComposition, Comp: &aep.Composition{
		Width: 320, Height: 180, PixelAspect: 1, FrameRate: 25, FrameTicks: 1024, TicksPerSecond: 25600, Duration: 4, WorkAreaDuration: 4,
	}})
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestChildReadsTheSame(t *testing.T) {
	t.Parallel()
	file := aeptest.Archive(t, map[string][]byte{"film/a.aep": project(t), "film/picture.png": []byte("png")})
	got, err := reader.Read(t.Context(), program(t, reads), job(t, aep.TypeZip, file), bounds)
	if err != nil {
		t.Fatal(err)
	}
	j := job(t, aep.TypeZip, file)
	s, err := aep.Introspect(t.Context(), j.Path, j.Type, j.Scratch, aep.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(s)
	if err != nil || !bytes.Equal(got.Summary, want) {
		t.Errorf("got %s\nwant %s, %v", got.Summary, want, err)
	}
	var refusal *aep.Refusal
	if _, err := reader.Read(t.Context(), program(t, reads), job(t, aep.TypeProject, []byte("no project")), bounds); !errors.As(err, &refusal) ||
		refusal.Message != "This file is not an After Effects project (.aep, .aet or .aepx)." {
		t.Errorf("what is no project gives %v", err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	small := reader.Bounds{Memory: 64 << 20, Within: 10 * time.Minute}
	short := reader.Bounds{Memory: 1 << 30, Within: time.Millisecond}
	for name, test := range map[string]struct {
		word   string
		file   []byte
		bounds reader.Bounds
		want   error
	}{
		"memory":       {reads, aeptest.EmptyLists(t, 1_500_000), small, reader.ErrMemory},
		"time":         {reads, nil, short, reader.ErrTime},
		"endless":      {babbles, nil, bounds, reader.ErrLarge},
		"crash":        {crashes, nil, bounds, reader.ErrCrash},
		"fault":        {faults, nil, bounds, reader.ErrMemory},
		"no such word": {"-unknown", nil, bounds, reader.ErrCrash},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := reader.Read(t.Context(), program(t, test.word), job(t, aep.TypeZip, test.file), test.bounds); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
	_, err := reader.Read(t.Context(), []string{filepath.Join(t.TempDir(), "missing")}, job(t, aep.TypeZip, nil), bounds)
	if err == nil || errors.Is(err, reader.ErrCrash) {
		t.Errorf("a program that is not there gives %v, which would be the file's fault", err)
	}
}

func TestALookIsToldBesideWhatWasRead(t *testing.T) {
	t.Parallel()
	j := job(t, aep.TypeProject, project(t))
	j.Each = 7
	got, err := reader.Read(t.Context(), program(t, looks), j, bounds)
	if err != nil || got.Trouble != nil || got.Preflight == nil || len(got.Summary) == 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if c := got.Preflight.Compositions; len(c) != 1 || c[0].Composition != "main" || c[0].Verdict != aep.DrawsNearly || c[0].More != 7 {
		t.Errorf("got %+v", c)
	}
	got, err = reader.Read(t.Context(), program(t, reads), job(t, aep.TypeProject, project(t)), bounds)
	if err != nil || got.Preflight != nil || got.Trouble != nil {
		t.Errorf("where nobody looks: %+v, %v", got, err)
	}
}

func TestALookThatEndsBadlyDoesNotCostWhatWasRead(t *testing.T) {
	t.Parallel()
	for way, test := range map[string]struct {
		bounds reader.Bounds
		want   aep.Stopped
	}{
		looksLong: {reader.Bounds{Memory: 1 << 30, Within: 10 * time.Minute, Look: 10 * time.Millisecond}, aep.StoppedByTime},
		looksHard: {reader.Bounds{Memory: 256 << 20, Within: 10 * time.Minute, Look: 5 * time.Minute}, aep.StoppedByMemory},
		looksDown: {bounds, aep.StoppedByFailure},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			got, err := reader.Read(t.Context(), program(t, way), job(t, aep.TypeProject, project(t)), test.bounds)
			if err != nil || len(got.Summary) == 0 || got.Preflight == nil || got.Preflight.Stopped != test.want || got.Trouble == nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestArchiveWithoutRoom(t *testing.T) {
	t.Parallel()
	j := job(t, aep.TypeZip, aeptest.Archive(t, map[string][]byte{"a.aep": project(t), "footage.bin": make([]byte, 1<<20)}))
	j.MinFree = 1 << 60
	_, err := reader.Read(t.Context(), program(t, reads), j, bounds)
	var room *reader.Room
	if !errors.As(err, &room) || room.Need < 1<<20 || room.Free != 0 {
		t.Fatalf("got %v", err)
	}
	if left, err := os.ReadDir(j.Scratch); err != nil || len(left) != 0 {
		t.Errorf("%v was written, %v", left, err)
	}
}
