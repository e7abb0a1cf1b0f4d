package raftstore

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/tables"
)

// unpackFirstVersion lays out a folder that version 0.1.0 of the program left: a state file, a snapshot, and a log behind
// both with an entry that the snapshot lacks. Job 01A is finished, 01B renders, 01C waits for its template, 01D is queued.
func unpackFirstVersion(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	archive, err := os.Open(filepath.Join("testdata", "v0.1.0.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	for entries := tar.NewReader(unzipped); ; {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return folder
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, filepath.FromSlash(entry.Name))
		if entry.FileInfo().IsDir() {
			err = os.MkdirAll(path, 0o700)
		} else {
			err = writeFrom(path, entries)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func writeFrom(path string, r io.Reader) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	return errors.Join(err, file.Close())
}

func TestStateOfTheFirstVersionOpens(t *testing.T) {
	for name, gone := range map[string][]string{
		"as it was left":        nil,
		"from snapshot and log": {stateFile},
		"from the log alone":    {stateFile, "snapshots"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := unpackFirstVersion(t)
			for _, name := range gone {
				if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
					t.Fatal(err)
				}
			}
			cfg := config(t, folder)
			cfg.NodeID = "n1"
			checkFirstVersion(t, openStore(t, cfg))
		})
	}
}

func checkFirstVersion(t *testing.T, s *Store) {
	t.Helper()
	listed := func(q farm.JobQuery) (ids []string) {
		err := s.View(func(tx *tables.Tx) error {
			jobs, _, err := tx.Jobs("team", q)
			for _, job := range jobs {
				ids = append(ids, job.ID)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids
	}
	for want, q := range map[string]farm.JobQuery{
		"01A 01B 01C 01D": {}, "01C": {Tags: []string{"01C"}}, "01D 01C": {Tags: []string{"red"}, States: []farm.JobStatus{farm.JobQueued}, Sort: "newest_first"},
		"01B": {Tags: []string{"red"}, States: []farm.JobStatus{farm.JobRendering}, Sort: "priority"},
	} {
		if got := listed(q); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%+v lists %v, want %s", q, got, want)
		}
	}
	err := s.View(func(tx *tables.Tx) error {
		job, err := tx.Job("01A")
		if head, err := tx.JobHead("01A"); err != nil || len(head.Assets) != 0 || head.OutputName != job.OutputName {
			t.Errorf("the head of job 01A reads as %+v, %v", head, err)
		}
		if err == nil && (job.Status != farm.JobFinished || len(job.Assets) != 2 || string(job.Assets[0].Value) != `"Hello & <welcome>"` || job.Fonts[0] != "A.ttf") {
			t.Errorf("job 01A reads as %+v", job)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, cmd := range []command.Command{
		command.FinishTask{Task: "01B.0", Attempt: 1, Output: farm.OutputRef{Key: "k"}, At: after(8)},
		command.ReceiveTemplate{ID: "late", Nonce: "n", File: farm.FileRef{SHA256: "f2"}, At: after(9)},
		command.FinishTemplate{ID: "late", FileSHA256: "f2", At: after(10)},
		command.LeaseTasks{Grants: []command.Grant{{Task: "01C.0", Attempt: 1, Agent: "a1"}}, At: after(11)},
		command.CancelJobs{Team: "team", IDs: []string{"01C", "01D"}, Force: true, At: after(12)},
		command.ExpireFiles{At: after(2000)},
		command.DeleteTemplate{Team: "team", ID: "tmpl"},
	} {
		result, err := s.Apply(t.Context(), cmd)
		if err != nil || result.Refused != nil {
			t.Fatalf("%T: %v, %v", cmd, err, result.Refused)
		}
		for _, refused := range result.Each {
			if refused != nil {
				t.Errorf("%T: %v", cmd, refused)
			}
		}
	}
	err = s.View(func(tx *tables.Tx) error {
		if used, err := tx.FileReferenced("pic"); used || err != nil {
			t.Errorf("the file of ended jobs is still held: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
