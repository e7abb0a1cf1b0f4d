package inbound_test

import (
	"testing"

	"overcrank/inbound"
)

func TestANetworkOfVersion6IsOneCaller(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.7": "10.0.0.7", "10.0.0.7:9000": "10.0.0.7", "::ffff:10.0.0.7": "10.0.0.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::9%eth0": "2001:db8:1:2::/64", "[2001:db8:1:2::9]:80": "2001:db8:1:2::/64", "pipe": "pipe",
	} {
		if got := inbound.Caller(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestOnlyProxiesAreBelievedWhereARequestComesFrom(t *testing.T) {
	proxies, err := inbound.ParseProxies([]string{"10.0.0.0/24", "192.168.1.5", "fd00::1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:4000", []string{"198.51.100.1"}, "203.0.113.9:4000"}, // anybody can write the header
		{"10.0.0.5:4000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.5:4000", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"}, // what stands before is the caller's word
		{"10.0.0.5:4000", []string{"1.1.1.1", "198.51.100.1 , 192.168.1.5"}, "198.51.100.1"},
		{"[fd00::1]:4000", []string{"2001:db8::7"}, "2001:db8::7"},
		{"10.0.0.5:4000", []string{"198.51.100.1:5555"}, "198.51.100.1"},
		{"10.0.0.5:4000", []string{"198.51.100.1, unknown"}, "10.0.0.5:4000"},
		{"10.0.0.5:4000", nil, "10.0.0.5:4000"},
		{"10.0.0.5:4000", []string{"10.0.0.6,10.0.0.7"}, "10.0.0.6"},
	} {
		if got := proxies.Origin(test.remote, test.forwarded); got != test.want {
			t.Errorf("from %s, forwarded for %q: %s, want %s", test.remote, test.forwarded, got, test.want)
		}
	}
	if inbound.Proxies(nil).Origin("10.0.0.5:1", []string{"1.1.1.1"}) != "10.0.0.5:1" {
		t.Error("without proxies somebody is believed")
	}
	if _, err := inbound.ParseProxies([]string{"nginx"}); err == nil {
		t.Error("a name was taken for a network")
	}
}
