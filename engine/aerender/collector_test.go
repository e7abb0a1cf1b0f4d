package aerender

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"overcrank/engine/render"
)

func TestGarbageIsCollectedAsOftenAsMemoryIsScarce(t *testing.T) {
	for live, want := range map[uint64]int{0: collectMost, 4 << 20: collectMost, 32 << 20: 200, 64 << 20: 100, 256 << 20: 25, 4 << 30: render.CollectAt} {
		if got := collectAt(live); got != want {
			t.Errorf("%d bytes in use may grow by %d %%, not %d", live, got, want)
		}
	}
}

func TestTheGuardPacesTheCollector(t *testing.T) {
	defer debug.FreeOSMemory() // others look at what this program holds
	defer debug.SetGCPercent(debug.SetGCPercent(render.CollectAt))
	percent := func() int {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	waitFor := func(what string, ok func(int) bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ok(percent()); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the memory in use may grow by %d %%", what, percent())
			}
		}
	}
	_, stop := guardMemory(t.Context(), 1<<40, func(err error) { t.Error(err) })
	defer stop()
	waitFor("little is in use", func(p int) bool { return p > 2*render.CollectAt })
	held := make([]byte, 300<<20)
	runtime.GC()
	waitFor("much is in use", func(p int) bool { return p == render.CollectAt })
	runtime.KeepAlive(held)
}
