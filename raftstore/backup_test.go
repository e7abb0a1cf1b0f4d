package raftstore

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
	"overcrank/raftstore/porttest"
)

// backedUp reads a backup of a store.
func backedUp(t *testing.T, s *Store) []byte {
	t.Helper()
	b, err := s.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(b)
	if err != nil || b.Close() != nil {
		t.Fatal(err)
	}
	if int64(len(content)) != b.Size {
		t.Errorf("the backup has %d bytes and says %d", len(content), b.Size)
	}
	return content
}

func TestRestoredStateIsAFarmOfItsOwn(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	for i := range 50 {
		putTeam(t, s, fmt.Sprint("team", i))
	}
	backup := backedUp(t, s)
	if again := backedUp(t, s); !bytes.Equal(again, backup) {
		t.Error("two backups of the same state differ")
	}
	putTeam(t, s, "later")
	index, _, err := s.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}

	folder := filepath.Join(t.TempDir(), "state")
	if err := Restore(folder, bytes.NewReader(backup)); err != nil {
		t.Fatal(err)
	}
	for _, lost := range []string{"", stateFile} {
		if lost != "" {
			remove(t, folder, lost)
		}
		restored := openStore(t, config(t, folder))
		if restored.ID() == s.ID() {
			t.Error("the restored node has the id of the one before")
		}
		if !hasTeam(t, restored, "team0") || !hasTeam(t, restored, "team49") || hasTeam(t, restored, "later") {
			t.Errorf("without %q: the restored state is not that of the backup", lost)
		}
		putTeam(t, restored, "new-"+lost)
		if at, _, err := restored.Fingerprint(); err != nil || at < index {
			t.Errorf("the restored farm is at change %d, %v; the one before was at %d", at, err, index)
		}
		if err := restored.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingIsRestoredFromADamagedBackup(t *testing.T) {
	s := openStore(t, config(t, t.TempDir()))
	putTeam(t, s, "team")
	whole := backedUp(t, s)
	altered := bytes.Clone(whole)
	altered[len(altered)/2] ^= 1
	later := bytes.Clone(whole)
	later[7] = 9
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":            {nil, "no header"},
		"cut off":            {whole[:len(whole)-40], "ends early"},
		"its end cut off":    {whole[:len(whole)-1], "ends early"},
		"altered":            {altered, "checksum"},
		"of a later version": {later, "does not know"},
	} {
		err := Restore(filepath.Join(t.TempDir(), "state"), bytes.NewReader(test.content))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
	}
}

// TestRestoredTermsGoOn holds what a node needs that joins later: terms that do not begin anew.
func TestRestoredTermsGoOn(t *testing.T) {
	folder := t.TempDir()
	var s *Store
	for range 4 { // each start is an election
		if s != nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		s = openStore(t, config(t, folder))
		putTeam(t, s, "team")
	}
	before := s.raft.CurrentTerm()
	target := filepath.Join(t.TempDir(), "state")
	if err := Restore(target, bytes.NewReader(backedUp(t, s))); err != nil {
		t.Fatal(err)
	}
	restored := openStore(t, config(t, target))
	if after := restored.raft.CurrentTerm(); after <= before {
		t.Errorf("the restored farm is in term %d, the one before in %d", after, before)
	}
	result, err := restored.Apply(t.Context(), command.PutTeam{Team: farm.Team{ID: "next"}})
	if err != nil || result.Refused != nil {
		t.Error(err, result.Refused)
	}
	if _, err := os.Stat(filepath.Join(target, nodeIDFile)); err != nil {
		t.Error(err)
	}
}

// TestARestoredNodeTakesFurtherNodes lets a node that begins with a backup come into a cluster of its own, by what it brings alone.
func TestARestoredNodeTakesFurtherNodes(t *testing.T) {
	before := openStore(t, config(t, t.TempDir()))
	for i := range 20 {
		putTeam(t, before, fmt.Sprint("team", i))
	}
	backup := backedUp(t, before)
	c := &cluster{t: t, nodes: make([]*Store, 2), adjust: func(i int, cfg *Config) { cfg.NodeID, cfg.Peers, cfg.Await = "", nil, i == 1 }}
	for range c.nodes {
		folder := filepath.Join(t.TempDir(), "state")
		c.folders, c.peers = append(c.folders, folder), append(c.peers, Peer{Address: porttest.Address(t)})
	}
	if err := Restore(c.folders[0], bytes.NewReader(backup)); err != nil {
		t.Fatal(err)
	}
	for i := range c.nodes {
		c.start(i)
		c.peers[i].ID = c.nodes[i].ID()
	}
	restored, second := c.nodes[c.leader()], c.nodes[1]
	change := func(do func(based uint64) error) {
		t.Helper()
		_, based, err := restored.Members()
		if err == nil {
			err = do(based)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// What was its address as a node alone is nobody's business.
	change(func(based uint64) error {
		return restored.AddVoter(t.Context(), restored.ID(), c.peers[0].Address, based)
	})
	change(func(based uint64) error {
		return restored.AddFollower(t.Context(), second.ID(), c.peers[1].Address, based)
	})
	putTeam(t, restored, "since")
	eventually(t, "the second node to have all of it", func() bool { return hasTeam(t, second, "since") && hasTeam(t, second, "team19") })
	change(func(based uint64) error {
		return restored.AddVoter(t.Context(), second.ID(), c.peers[1].Address, based)
	})
	putTeam(t, c.nodes[c.leader()], "together")
	index, want, err := restored.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the same state on both", func() bool {
		at, got, err := second.Fingerprint()
		return err == nil && (at > index || at == index && got == want)
	})
}
