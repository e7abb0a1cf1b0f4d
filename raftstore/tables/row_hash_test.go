package tables

import (
	"fmt"
	"testing"

	"overcrank/raftstore/command"
)

// TestTheFingerprintDoesNotDependOnBatches applies the same entries one by one and all at once: counters, which are written once per
// batch, count with the entry that moves them.
func TestTheFingerprintDoesNotDependOnBatches(t *testing.T) {
	t.Parallel()
	one, all := newRig(t, t.TempDir(), "one"), newRig(t, t.TempDir(), "all")
	defer one.end()
	defer all.end()
	one.must(command.SetLevel{Level: command.NewestLevel, Version: "v"})
	furnish(one)
	for i := range 20 {
		submit(one, fmt.Sprint("j", i), i)
	}
	all.apply(one.log)
	if one.content() != all.content() {
		t.Fatal("the states differ")
	}
	if one.fingerprint() != all.fingerprint() {
		t.Errorf("one by one %s, at once %s", one.fingerprint(), all.fingerprint())
	}
}
