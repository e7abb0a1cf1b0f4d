package raftstore

import (
	"encoding/hex"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"overcrank/raftstore/command"
)

func TestFingerprintsOfThePastAreThoseThatWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var kept trail
		index := uint64(rapid.IntRange(0, 50).Draw(t, "begin"))
		kept.begin(index, fmt.Append(nil, index))
		want := map[uint64]string{index: fmt.Sprint(index)}
		newest := []uint64{index}
		for range rapid.IntRange(0, 6).Draw(t, "batches") {
			var steps []step
			for range rapid.IntRange(0, 500).Draw(t, "entries") {
				before := index
				index += uint64(rapid.IntRange(1, 2).Draw(t, "gap"))
				for i := before + 1; i < index; i++ {
					want[i] = want[before]
				}
				want[index] = fmt.Sprint(index)
				newest = append(newest, index)
				steps = append(steps, step{index, want[index]})
			}
			kept.add(steps)
		}
		oldest := newest[max(0, len(newest)-trailLength)]
		marked := map[uint64]bool{} // those that were left behind
		for i := newest[0]; i < index; i++ {
			marked[i] = i > 0 && i%markEvery == 0
		}
		for i := range index + 3 {
			got, known := kept.at(i)
			if wantKnown := i >= oldest && i <= index || marked[i]; known != wantKnown || known && got != hex.EncodeToString([]byte(want[i])) {
				t.Fatalf("at %d of %d to %d: %q, %v; want %q", i, oldest, index, got, known, want[i])
			}
		}
	})
}

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
			if bucket == "teams" && key == "astray" {
				return append(value[:len(value)-1:len(value)-1], `,"more":1}`...)
			}
			return value
		},
	} {
		c := newSteadyCluster(t, 3, func(i int, cfg *Config) {
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
