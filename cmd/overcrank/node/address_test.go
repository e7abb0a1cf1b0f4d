package node

import (
	"net/netip"
	"testing"
)

func TestLoopbackIsAskedByFarmsOfOneMachineAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags  Flags
		public string
		may    bool
	}{
		{Flags{}, "http://127.0.0.1:8080", true},
		{Flags{}, "http://localhost:8080", true},
		{Flags{}, "http://farm.studio:8080", false},
		{Flags{}, "https://10.0.0.7", false},
		{Flags{AllowLoopback: true}, "https://10.0.0.7", true},
		{Flags{AllowAddress: []string{"127.0.0.1", "10.0.0.0/8"}}, "https://10.0.0.7", true},
		{Flags{DenyAddress: []string{"127.0.0.0/8"}}, "http://127.0.0.1:8080", false},
	} {
		policy, err := c.flags.mayAsk(c.public)
		if err != nil || policy.Allows(netip.MustParseAddr("127.0.0.1")) != c.may {
			t.Errorf("%s with %v, %v, loopback %v: allowed is not %v, %v", c.public, c.flags.AllowAddress, c.flags.DenyAddress, c.flags.AllowLoopback, c.may, err)
		}
		if own := policy.Refusal(c.public + "/outputs/x.mp4"); c.flags.DenyAddress == nil && own != "" {
			t.Errorf("%s: its own results are refused: %s", c.public, own)
		}
	}
}
