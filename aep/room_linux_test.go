package aep_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"overcrank/aep"
	"overcrank/durable"
	"overcrank/durable/disktest"
)

// TestTwoArchivesOfSmallFilesDoNotFillADiskTogether unpacks archives that each alone would leave enough of a disk free.
func TestTwoArchivesOfSmallFilesDoNotFillADiskTogether(t *testing.T) {
	disk, _ := disktest.Mount(t, 300)
	entries := []zipEntry{{name: "p.aep", body: tinyProject(t)}}
	for i := range 150 {
		entries = append(entries, zipEntry{name: fmt.Sprintf("sequence/%03d.raw", i), body: make([]byte, 1<<20)})
	}
	archive := makeZip(t, entries...)
	const free = 40 << 20
	var unpacking, begun sync.WaitGroup
	begun.Add(2)
	errs := make([]error, 2)
	for i := range errs {
		dir := filepath.Join(disk, fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		lim := aep.DefaultLimits()
		together := sync.OnceFunc(func() { // neither begins before both have seen the disk empty
			begun.Done()
			begun.Wait()
		})
		lim.Room = func(need int64) error {
			left, _, err := durable.Space(disk)
			if err == nil && left-need < free {
				err = errors.New("the disk would be too full")
			}
			together()
			return err
		}
		unpacking.Go(func() {
			_, errs[i] = aep.Unpack(t.Context(), bytes.NewReader(archive), int64(len(archive)), dir, lim)
		})
	}
	unpacking.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, aep.ErrNoRoom) {
			t.Errorf("the disk was filled: %v", err)
		}
	}
	if errs[0] == nil && errs[1] == nil {
		t.Error("both were unpacked")
	}
}
