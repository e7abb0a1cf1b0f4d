package node

import (
	"testing"

	"overcrank/cmd/overcrank/process"
)

func TestBoundsFollowFlagsAndWhatTheProcessMayOpen(t *testing.T) {
	t.Parallel()
	b, err := boundFlags{}.bounds()
	if err != nil {
		t.Fatal(err)
	}
	if b.port.Total > max(64, process.OpenFiles()/8*3) || b.port.Total > maxConnections || b.port.Gate.PerCaller() > b.port.Total/4 && b.port.Gate.PerCaller() > 16 {
		t.Errorf("%d connections, %d of one address, where %d files may be open", b.port.Total, b.port.Gate.PerCaller(), process.OpenFiles())
	}
	b, err = boundFlags{Connections: 100, PerAddress: 7, LivePerPerson: 3, LivePerAddr: 5, TrustedProxy: []string{"10.0.0.5"}}.bounds()
	if err != nil || b.port.Total != 100 || b.port.Gate.PerCaller() != 7 || b.follow.People.PerCaller() != 3 || b.follow.Addresses.PerCaller() != 5 || !b.proxies.Has("10.0.0.5:80") {
		t.Errorf("the flags made %+v, %v", b, err)
	}

	// One address that has not shown itself leaves coordinators room, however few files the process may open.
	for files, want := range map[int]int{1 << 20: 256, 4096: 64, 2048: 32, 512: 8, 64: 4} {
		strangers := boundFlags{ClusterStrangers: 256}.strangers(files)
		taken := 0
		for strangers.Take("10.0.0.3", 1) == nil {
			taken++
		}
		if err := strangers.Take("10.0.0.4", 1); taken != want || err != nil {
			t.Errorf("of %d files an address takes %d connections, want %d; and then another: %v", files, taken, want, err)
		}
	}
}
