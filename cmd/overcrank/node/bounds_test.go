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
}
