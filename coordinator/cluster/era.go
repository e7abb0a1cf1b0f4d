package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/durable"
)

// eraFile lists the eras of the farm's Raft (see internode.Config): nodes from before a recovery must not communicate with those after
// it.
const eraFile = "cluster.era"

// Eras lists the eras of the farm in a data folder, the current one last; none for a farm that was never recovered.
func Eras(dir string) ([]string, error) {
	text, err := durable.ReadSummed(filepath.Join(dir, eraFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the eras of the farm: %w", err)
	}
	return strings.Fields(string(text)), nil
}

// BeginEra begins a new era for the farm in a data folder: its former members can no longer communicate with it.
func BeginEra(dir string) error {
	all, err := Eras(dir)
	if err != nil {
		return err
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // crypto/rand never fails: it ends the process instead
	all = append(all, hex.EncodeToString(id))
	if err := durable.WriteSummed(filepath.Join(dir, eraFile), []byte(strings.Join(all, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("beginning a new era of the farm: %w", err)
	}
	return nil
}

// outlived reports whether another node is in a later era of this node's farm.
func outlived(own, other []string) bool {
	return len(other) > len(own) && slices.Equal(own, other[:len(own)])
}
