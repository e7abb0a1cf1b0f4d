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

// eraFile names the eras of the farm's Raft, see internode.Config: nodes from before a recovery must not be heard after it.
const eraFile = "cluster.era"

// Eras are those that the farm of a data folder has gone through, the present one last; none for a farm that was never recovered.
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

// BeginEra sets the farm of a data folder apart from all nodes that were its members so far.
func BeginEra(dir string) error {
	all, err := Eras(dir)
	if err != nil {
		return err
	}
	id := make([]byte, 8)
	_, _ = rand.Read(id) // crypto/rand never fails: it ends the process instead
	all = append(all, hex.EncodeToString(id))
	if err := durable.WriteSummed(filepath.Join(dir, eraFile), []byte(strings.Join(all, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("setting the farm apart from the coordinators that it had: %w", err)
	}
	return nil
}

// outlived tells whether the farm of another node has gone on from this node's era to a later one.
func outlived(own, other []string) bool {
	return len(other) > len(own) && slices.Equal(own, other[:len(own)])
}
