package raftstore

import (
	"encoding/hex"
	"fmt"
	"testing"

	"pgregory.net/rapid"
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
