package raftstore

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/raft"

	"overcrank/raftstore/boltfile"
	"overcrank/raftstore/seglog"
	"overcrank/raftstore/tables"
)

// killedFarm is a folder as a farm left it that was killed while it wrote, with the ids of the jobs it had acknowledged.
func killedFarm(t *testing.T) (folder string, acknowledged []string) {
	t.Helper()
	folder = t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childFolder+"="+folder)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if acknowledged = append(acknowledged, lines.Text()); len(acknowledged) == 120 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait()
	return folder, acknowledged
}

// spoils are what may have become of the last pages of a file.
var spoils = map[string]func(content []byte, pages int) []byte{
	"missing": func(content []byte, pages int) []byte { return content[:len(content)-pages] },
	"zeros": func(content []byte, pages int) []byte {
		clear(content[len(content)-pages:])
		return content
	},
	"noise": func(content []byte, pages int) []byte {
		noise := rand.New(rand.NewPCG(1, uint64(pages)))
		for i := len(content) - pages; i < len(content); i++ {
			content[i] = byte(noise.Uint32())
		}
		return content
	},
	"half written": func(content []byte, pages int) []byte {
		clear(content[len(content)-pages/2:])
		return content
	},
}

// TestTornLastPagesAreMadeAgainOrRefused spoils the ends of both bbolt files of a farm that was killed, and of one whose machine lost
// its power. The state file is made again; a node without its vote does not start, and says what to do.
func TestTornLastPagesAreMadeAgainOrRefused(t *testing.T) {
	folder, acknowledged := killedFarm(t)
	page := os.Getpagesize()
	for _, power := range []bool{false, true} {
		for _, name := range []string{stateFile, stableFile} {
			refused := 0
			for how, spoil := range spoils {
				for _, pages := range []int{1, 2, 5} {
					what := fmt.Sprintf("the last %d pages of %s %s, power lost: %v", pages, name, how, power)
					torn := filepath.Join(t.TempDir(), "torn")
					if err := os.CopyFS(torn, os.DirFS(folder)); err != nil {
						t.Fatal(err)
					}
					path := filepath.Join(torn, name)
					content, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					write(t, torn, name, string(spoil(bytes.Clone(content), min(pages*page, len(content)))))
					if power {
						write(t, torn, "state.mark", markRunning+"another\n")
					}
					s, err := Open(t.Context(), config(t, torn))
					if err == nil {
						checkJobs(t, what, s, acknowledged)
						if err := s.Close(); err != nil {
							t.Errorf("%s: %v", what, err)
						}
						continue
					}
					refused++
					if name == stateFile {
						t.Errorf("%s: %v; want it made again", what, err)
					}
					for _, words := range []string{name, "damaged", "restore the farm from a backup", "join again"} {
						if !strings.Contains(err.Error(), words) {
							t.Errorf("%s: %v; want %q in it", what, err, words)
						}
					}
				}
			}
			if name == stableFile && refused == 0 {
				t.Errorf("no damage of %s was noticed", name)
			}
		}
	}
}

func checkJobs(t *testing.T, what string, s *Store, ids []string) {
	t.Helper()
	err := s.View(func(tx *tables.Tx) error {
		for _, id := range ids {
			if _, err := tx.Job(id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("%s: an acknowledged job is lost: %v", what, err)
	}
}

// TestALogWithoutItsBeginningIsRefusedInWords takes the oldest entries of a log away that no snapshot stands in for, as happens when
// somebody removes its first file.
func TestALogWithoutItsBeginningIsRefusedInWords(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openStore(t, config(t, folder))
	for i := range 10 {
		putTeam(t, s, fmt.Sprint("team", i))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, logFolder)
	log, err := seglog.Open(seglog.Config{Folder: path})
	if err != nil {
		t.Fatal(err)
	}
	last, err := log.LastIndex()
	var rest []*raft.Log
	for i := uint64(6); i <= last && err == nil; i++ {
		var entry raft.Log
		err = log.GetLog(i, &entry)
		rest = append(rest, &entry)
	}
	if err := errors.Join(err, log.Close(), os.RemoveAll(path)); err != nil {
		t.Fatal(err)
	}
	if log, err = seglog.Open(seglog.Config{Folder: path}); err == nil {
		err = errors.Join(log.StoreLogs(rest), log.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), config(t, folder))
	if err == nil || !strings.Contains(err.Error(), "the oldest files of log") || !strings.Contains(err.Error(), boltfile.WayOut) {
		t.Errorf("it says %v", err)
	}
}
