package outbox

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"overcrank/farm/wire"
)

func failed(task string, n int, message string) wire.Message {
	return wire.Message{Failed: &wire.Failed{Attempt: wire.Attempt{Task: task, Attempt: n}, Message: message, Retry: true}}
}

func open(t *testing.T, dir string) *Outbox {
	t.Helper()
	o, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestReportsOutliveTheProgram(t *testing.T) {
	dir := t.TempDir()
	o := open(t, dir)
	done := wire.Message{Finished: &wire.Finished{Attempt: wire.Attempt{Task: "../job.1", Attempt: 2}, Warnings: []string{"w"}}}
	for _, m := range []wire.Message{failed("a.1", 1, "x"), done, failed("a.1", 1, "y")} {
		if err := o.Put(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if got := again.All(); len(got) != 2 || len(again.Attempts()) != 2 {
		t.Fatalf("got %+v", got)
	}
	for _, m := range again.All() {
		if m.Finished != nil && !reflect.DeepEqual(m, done) || m.Failed != nil && m.Failed.Message != "y" {
			t.Fatalf("got %+v", m)
		}
	}
	if err := again.Remove(wire.Attempt{Task: "a.1", Attempt: 1}); err != nil {
		t.Fatal(err)
	}
	if err := again.Remove(wire.Attempt{Task: "never", Attempt: 1}); err != nil {
		t.Fatal(err)
	}
	if left := open(t, dir).All(); len(left) != 1 || left[0].Finished == nil {
		t.Fatalf("left %+v", left)
	}
}

func TestOnlyReportsAreKept(t *testing.T) {
	if err := open(t, t.TempDir()).Put(wire.Message{Settled: &wire.Settled{}}); err == nil {
		t.Fatal("a message that is no report was kept")
	}
}
