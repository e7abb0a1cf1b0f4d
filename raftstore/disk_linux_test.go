package raftstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// smallDisk mounts a disk of so many megabytes, which needs root and is skipped without.
func smallDisk(t *testing.T, megabytes int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	if err := syscall.Mount("none", folder, "tmpfs", 0, fmt.Sprintf("size=%dm", megabytes)); err != nil {
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// fillDisk writes a file until its disk is full.
func fillDisk(t *testing.T, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err == nil {
			_, err = file.Write(bytes.Repeat([]byte{1}, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		err = nil
	}
}

// TestADiskThatIsReallyFull leaves no room at all for a farm that keeps none free, so that both of its files meet the end of
// the disk.
func TestADiskThatIsReallyFull(t *testing.T) {
	folder := smallDisk(t, 48)
	ballast := filepath.Join(folder, "ballast")
	s := openStore(t, config(t, folder))
	var acknowledged []string
	for round := range 3 {
		fillDisk(t, ballast)
		refused := 0
		for i := 0; refused == 0; i++ {
			id := fmt.Sprintf("team%dx%d", round, i)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			result, err := s.Apply(ctx, command.PutTeam{Team: farm.Team{ID: id, Name: string(bytes.Repeat([]byte{'x'}, 20_000))}})
			cancel()
			switch {
			case errors.Is(err, context.DeadlineExceeded): // it is in the log, and waits for the state's file
			case err == nil && result.Refused == nil:
				acknowledged = append(acknowledged, id)
			case farm.CodeOf(err) != farm.CodeUnavailable:
				t.Fatalf("a full disk is answered with %v, %v", err, result.Refused)
			default:
				refused++
			}
		}
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the farm to take changes again", func() bool { return s.Ready() == nil && s.Barrier(t.Context()) == nil })
		id := fmt.Sprintf("room%d", round)
		putTeam(t, s, id)
		acknowledged = append(acknowledged, id)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openStore(t, config(t, folder))
	for _, id := range acknowledged {
		if !hasTeam(t, again, id) {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
}
