package node

import "testing"

func TestWhereACoordinatorGossips(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string][2]string{
		"127.0.0.1:8080": {"127.0.0.1:0", "127.0.0.1:0"},
		"127.0.0.7:8080": {"127.0.0.1:0", "127.0.0.1:0"},
		"localhost:8080": {"127.0.0.1:0", "127.0.0.1:0"},
		"[::1]:8080":     {"127.0.0.1:0", "127.0.0.1:0"},
		"0.0.0.0:8080":   {"0.0.0.0:7947", "0.0.0.0:0"},
		":8080":          {":7947", ":0"},
		"10.0.0.7:8080":  {"10.0.0.7:7947", "10.0.0.7:0"},
	} {
		f := Flags{Listen: listen}
		if at, beside := f.gossip(), f.gossipBeside(); at != want[0] || beside != want[1] {
			t.Errorf("with --listen %s it gossips at %s and its agent at %s, want %v", listen, at, beside, want)
		}
	}
	if at := (Flags{Listen: "0.0.0.0:8080", GossipListen: "10.0.0.7:1"}).gossip(); at != "10.0.0.7:1" {
		t.Errorf("it was told where, and gossips at %s", at)
	}
}
