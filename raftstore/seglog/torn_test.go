package seglog

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"
	"pgregory.net/rapid"
)

// written is a log of one file, with three groups, and where the last of them begins.
func written(t testing.TB) (folder, file string, content []byte, lastGroup int) {
	t.Helper()
	folder = t.TempDir()
	l := open(t, Config{Folder: folder})
	fill(t, l, 1, 6)
	lastGroup = int(l.Size())
	fill(t, l, 7, 9)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	file = l.path(1)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return folder, file, content, lastGroup
}

// TestAnAppendThatWasNotFinishedIsCutOff leaves of the last append what a machine that lost its power may leave: a part, with
// zeros for the rest, or only some blocks of it.
func TestAnAppendThatWasNotFinishedIsCutOff(t *testing.T) {
	folder, file, content, lastGroup := written(t)
	random := rand.New(rand.NewPCG(1, 2))
	try := func(left []byte) {
		t.Helper()
		if err := os.WriteFile(file, left, 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, Config{Folder: folder})
		wantEntries(t, l, 1, 6)
		fill(t, l, 7, 12)
		wantEntries(t, reopen(t, l), 1, 12)
	}
	for cut := lastGroup; cut < len(content); cut += 1 + random.IntN(5) {
		try(content[:cut])
		zeros := append(bytes.Clone(content[:cut]), make([]byte, len(content)-cut+random.IntN(9000))...)
		if bytes.Equal(zeros[:len(content)], content) {
			continue
		}
		try(zeros)
	}
	for range 50 {
		holes, block := bytes.Clone(content), 64
		for lost := false; !lost; {
			for at := lastGroup; at < len(content); at += block {
				if random.IntN(2) == 0 {
					clear(holes[at:min(at+block, len(holes))])
					lost = !bytes.Equal(holes, content)
				}
			}
		}
		try(holes)
	}
}

// TestDamageToWhatWasStoredIsRefused changes bytes of groups that others follow.
func TestDamageToWhatWasStoredIsRefused(t *testing.T) {
	folder, file, content, lastGroup := written(t)
	for at := 0; at < lastGroup; at++ {
		damaged := bytes.Clone(content)
		damaged[at] ^= 0x40
		if err := os.WriteFile(file, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(Config{Folder: folder})
		if err == nil {
			l.Close()
			t.Fatalf("with another byte at %d the log was opened", at)
		}
		if !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "backup") || !strings.Contains(err.Error(), file) {
			t.Fatalf("the error does not say what is wrong and what to do: %v", err)
		}
	}
}

func TestDamageInAFileBeforeTheLastIsRefused(t *testing.T) {
	folder := t.TempDir()
	l := open(t, smallSegments(folder))
	fill(t, l, 1, 100)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(folder, "*"+suffix))
	whole, err := os.ReadFile(names[1])
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cut short": whole[:len(whole)-1], "nothing left": nil, "the end is others'": append(bytes.Clone(whole), 1), "another file": mustRead(t, names[2]),
	} {
		if err := os.WriteFile(names[1], content, 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := Open(smallSegments(folder)); err == nil {
			l.Close()
			t.Errorf("%s: opened", name)
		} else if !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestDamageOnTheDiskIsFoundWhenAnEntryIsRead(t *testing.T) {
	l := open(t, Config{Folder: t.TempDir()})
	fill(t, l, 1, 3)
	file, err := os.OpenFile(l.path(1), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte("x"), l.segments[0].places[1].at+40); err != nil {
		t.Fatal(err)
	}
	if err := l.GetLog(2, new(raft.Log)); err == nil || !strings.Contains(err.Error(), "entry 2 of the Raft log is damaged") {
		t.Errorf("damaged entry answers %v", err)
	}
}

func TestAFileThatWasBegunHoldsNothingBack(t *testing.T) {
	head := header{salt: 9, first: 7}.append(nil)
	for name, begun := range map[string][]byte{"empty": nil, "half a header": head[:10], "zeros": make([]byte, segmentHeader), "a header": head} {
		folder := t.TempDir()
		l := open(t, Config{Folder: folder})
		fill(t, l, 1, 6)
		if err := os.WriteFile(l.path(7), begun, 0o600); err != nil {
			t.Fatal(err)
		}
		l = reopen(t, l)
		wantEntries(t, l, 1, 6)
		fill(t, l, 7, 9)
		l = reopen(t, l)
		wantEntries(t, l, 1, 9)
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// TestLogAgainstAModel does what Raft does to a log, with stops, and with power that goes while an append is being written.
func TestLogAgainstAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		folder, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		power := errors.New("the power is gone")
		gone := false
		config := smallSegments(folder)
		config.Sync = func(*os.File) error {
			if gone {
				return power
			}
			return nil
		}
		l, err := Open(config)
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { l.Close() }()
		first, last, term := uint64(0), uint64(0), uint64(1)
		model := map[uint64]uint64{} // terms
		again := func() {
			if err := l.Close(); err != nil {
				rt.Fatal(err)
			}
			if l, err = Open(config); err != nil {
				rt.Fatal(err)
			}
		}
		batch := func() []*raft.Log {
			term++
			return entries(term, last+1, last+uint64(rapid.IntRange(1, 9).Draw(rt, "entries")))
		}
		took := func(logs []*raft.Log) {
			for _, log := range logs {
				model[log.Index] = log.Term
			}
			if last = logs[len(logs)-1].Index; first == 0 {
				first = logs[0].Index
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				logs := batch()
				if err := l.StoreLogs(logs); err != nil {
					rt.Fatal(err)
				}
				took(logs)
			},
			"append behind a gap": func(rt *rapid.T) {
				if last == 0 {
					rt.Skip()
				}
				first, last = 0, last+uint64(rapid.IntRange(1, 50).Draw(rt, "gap"))
				logs := batch()
				if err := l.StoreLogs(logs); err != nil {
					rt.Fatal(err)
				}
				took(logs)
			},
			"power goes": func(rt *rapid.T) {
				if last == 0 {
					rt.Skip()
				}
				active := l.segments[len(l.segments)-1]
				path, end := active.path, active.end
				gone = true
				if err := l.StoreLogs(batch()); !errors.Is(err, power) {
					rt.Fatalf("storing without power: %v", err)
				}
				gone = false
				if content, err := os.ReadFile(path); err != nil {
					rt.Fatal(err)
				} else if left := content[end:]; len(left) > 0 {
					cut := rapid.IntRange(0, len(left)-1).Draw(rt, "left")
					if err := os.Truncate(path, end+int64(cut)); err != nil {
						rt.Fatal(err)
					}
				}
				again()
			},
			"restart": func(*rapid.T) { again() },
			"delete the oldest": func(rt *rapid.T) {
				if last == first {
					rt.Skip()
				}
				upTo := rapid.Uint64Range(first, last-1).Draw(rt, "up to")
				if err := l.DeleteRange(rapid.Uint64Range(0, first).Draw(rt, "from"), upTo); err != nil {
					rt.Fatal(err)
				}
				first = upTo + 1
			},
			"delete the newest": func(rt *rapid.T) {
				if last == first {
					rt.Skip()
				}
				from := rapid.Uint64Range(first+1, last).Draw(rt, "from")
				if err := l.DeleteRange(from, last); err != nil {
					rt.Fatal(err)
				}
				last = from - 1
			},
			"delete all": func(rt *rapid.T) {
				if err := l.DeleteRange(0, last); err != nil {
					rt.Fatal(err)
				}
				first = 0
				last = rapid.Uint64Range(0, 100).Draw(rt, "goes on behind")
				clear(model)
				if last > 0 {
					logs := batch()
					if err := l.StoreLogs(logs); err != nil {
						rt.Fatal(err)
					}
					took(logs)
				}
			},
			"": func(rt *rapid.T) {
				gotFirst, _ := l.FirstIndex()
				gotLast, _ := l.LastIndex()
				// After a start entries may be back that share their file with others.
				if gotLast != last || gotFirst > first || gotFirst == 0 != (first == 0) {
					rt.Fatalf("the log holds %d to %d, want %d to %d", gotFirst, gotLast, first, last)
				}
				first = gotFirst
				for i := gotFirst; i <= last && i > 0; i++ {
					var log raft.Log
					if err := l.GetLog(i, &log); err != nil || log.Term != model[i] || !bytes.Equal(log.Data, entries(1, i, i)[0].Data) {
						rt.Fatalf("entry %d is of term %d, want %d: %v", i, log.Term, model[i], err)
					}
				}
			},
		})
	})
}

func FuzzScan(f *testing.F) {
	_, _, content, lastGroup := written(f)
	f.Add(content)
	f.Add(content[:lastGroup+10])
	f.Add(append(bytes.Clone(content), make([]byte, 100)...))
	f.Add([]byte(segmentMagic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, content []byte) {
		found, err := scan(content)
		if err != nil {
			return
		}
		for i, p := range found.places {
			if p.at < segmentHeader || p.size < entryHeader || p.at+int64(p.size) > found.end {
				t.Fatalf("an entry lies at %d with %d bytes, and the end at %d", p.at, p.size, found.end)
			}
			var log raft.Log
			if err := DecodeEntry(found.first+uint64(i), content[p.at:p.at+int64(p.size)], &log); err != nil {
				t.Fatal(err)
			}
		}
		again, err := scan(content[:found.end])
		if err != nil || again.torn || again.end != found.end || len(again.places) != len(found.places) {
			t.Fatalf("cut at its end it is %+v, %v", again, err)
		}
	})
}

func FuzzDecodeEntry(f *testing.F) {
	f.Add(AppendEntry(nil, &raft.Log{Index: 7, Term: 2, Data: []byte("data"), Extensions: []byte("e")}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, value []byte) {
		var log raft.Log
		if DecodeEntry(7, value, &log) == nil && !bytes.Equal(AppendEntry(nil, &log), value) {
			t.Error("an entry that was read is written back differently")
		}
	})
}
