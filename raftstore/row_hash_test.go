package raftstore

import (
	"fmt"
	"testing"

	"overcrank/raftstore/command"
)

// raise brings a store to the level of this program.
func raise(t *testing.T, s *Store) {
	t.Helper()
	if res, err := s.Apply(t.Context(), command.SetLevel{Level: command.NewestLevel, Version: "v"}); err != nil || res.Refused != nil {
		t.Fatal(err, res.Refused)
	}
}

// atOneIndex gives the fingerprints of all nodes at an index that all have reached.
func (c *cluster) atOneIndex(index uint64) []string {
	c.t.Helper()
	prints := make([]string, len(c.nodes))
	for i, node := range c.nodes {
		eventually(c.t, "each node to have the change", func() (known bool) {
			prints[i], known = node.FingerprintAt(index)
			return known
		})
	}
	return prints
}

// TestAWrongRuleShowsInTheFingerprint has one of three nodes write another value than the others from the same command, as a release
// with another rule would.
func TestAWrongRuleShowsInTheFingerprint(t *testing.T) {
	t.Parallel()
	const wrong = 1
	for what, bend := range map[string]func(bucket, key string, value []byte) []byte{
		"a record": func(bucket, key string, value []byte) []byte {
			if bucket == string(bucketTeams) && key == "astray" {
				return append(value[:len(value)-1:len(value)-1], `,"more":1}`...)
			}
			return value
		},
	} {
		c := newClusterOf(t, 3, func(i int, cfg *Config) {
			if i == wrong {
				cfg.WrongRule = bend
			}
		})
		raise(t, c.nodes[c.leader()])
		putTeam(t, c.nodes[c.leader()], "first")
		prints := c.atOneIndex(c.nodes[c.leader()].Progress().State)
		if prints[0] != prints[1] || prints[0] != prints[2] {
			t.Fatalf("%s: before the rules differ the nodes do: %q", what, prints)
		}
		putTeam(t, c.nodes[c.leader()], "astray")
		putTeam(t, c.nodes[c.leader()], "last")
		prints = c.atOneIndex(c.nodes[c.leader()].Progress().State)
		if prints[0] != prints[2] || prints[0] == prints[wrong] {
			t.Errorf("%s: the fingerprints are %q, where node %d alone has another row", what, prints, wrong)
		}
	}
}

// TestTheFingerprintDoesNotDependOnBatches applies the same entries one by one and all at once: counters, which are written once per
// batch, count with the entry that moves them.
func TestTheFingerprintDoesNotDependOnBatches(t *testing.T) {
	t.Parallel()
	one, all := newTestMachine(t, t.TempDir(), "one"), newTestMachine(t, t.TempDir(), "all")
	defer one.end()
	defer all.end()
	one.must(command.SetLevel{Level: command.NewestLevel, Version: "v"})
	furnish(one)
	for i := range 20 {
		submit(one, fmt.Sprint("j", i), i)
	}
	all.ApplyBatch(one.logs)
	if one.content() != all.content() {
		t.Fatal("the states differ")
	}
	if one.fingerprint() != all.fingerprint() {
		t.Errorf("one by one %s, at once %s", one.fingerprint(), all.fingerprint())
	}
}

func TestMarksAreRememberedForLong(t *testing.T) {
	t.Parallel()
	var kept trail
	kept.begin(10, []byte("10"))
	for i := uint64(11); i <= 3*markEvery*markCount; i++ {
		kept.add([]step{{i, fmt.Sprint(i)}})
	}
	newest := uint64(3*markEvery*markCount - markEvery)
	for _, i := range []uint64{newest, newest - markEvery, newest - (markCount-1)*markEvery} {
		if _, known := kept.at(i); !known {
			t.Errorf("the mark %d is forgotten", i)
		}
	}
	for _, i := range []uint64{newest - markCount*markEvery, newest - markEvery - 1 - trailLength} {
		if _, known := kept.at(i); known {
			t.Errorf("%d is remembered", i)
		}
	}
	if kept.mark != newest {
		t.Errorf("the newest mark is %d, want %d", kept.mark, newest)
	}
}
