package address_test

import (
	"net/netip"
	"strings"
	"testing"

	"overcrank/farm/address"
)

func TestHostsAreReadInEverySpelling(t *testing.T) {
	for host, want := range map[string]string{
		"10.0.0.7": "10.0.0.7", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "0x7f000001": "127.0.0.1", "0X7F.1": "127.0.0.1", "2130706433": "127.0.0.1",
		"017700000001": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "0xa9fea9fe": "169.254.169.254", "169.254.43518": "169.254.169.254",
		"[::1]": "::1", "::1": "::1", "localhost": "127.0.0.1", "LOCALHOST.": "127.0.0.1", "a.localhost": "127.0.0.1",
		"１２７.０.０.１": "127.0.0.1", "127。0。0。1": "127.0.0.1", "127.0.0.1.": "127.0.0.1", "0": "0.0.0.0",
		"files.example": "", "localhost.example": "", "1.2.3.4.5": "", "256.1.1.1": "", "4294967296": "", "1_0.0.0.1": "", "0b1.0.0.1": "", "08.0.0.1": "", "": "", "a.1": "",
	} {
		got, spelled := address.Spelled(host)
		if spelled != (want != "") || spelled && got.String() != want {
			t.Errorf("%q is %v, %v; want %q", host, got, spelled, want)
		}
	}
}

func TestAddressesAreRefusedAsTheyAreSpelled(t *testing.T) {
	farm, err := address.ParsePolicy(nil, []string{"10.1.0.0/16"})
	if err != nil {
		t.Fatal(err)
	}
	studio := farm.WithoutLoopback()
	studio.Own = []string{"render.local:8080", "127.0.0.1:8080"}
	for _, src := range []string{
		"http://169.254.169.254/latest", "https://metadata.google.internal/", "HTTP://METADATA.GOOG./x", "http://[::ffff:169.254.169.254]/", "http://0xa9fea9fe/",
		"http://10.1.2.3:9000", "http://[64:ff9b::10.1.2.3]/", "http://localhost:3000/", "http://127.1/", "http://[::1]:80/", "http://2130706433/", "http://user@127.0.0.1/",
		"http://127.0.0.1:8081/outputs/x", "http://0.0.0.0/", "http://localhost/${secrets.PATH}",
	} {
		if studio.Refusal(src) == "" {
			t.Errorf("%s may be asked", src)
		}
	}
	for _, src := range []string{
		"https://files.example/a.png", "http://10.2.0.1/", "http://127.0.0.1:8080/outputs/x.mp4", "http://${secrets.HOST}/x", "${secrets.ALL}", "data:,127.0.0.1",
		"s3://localhost/key", "farm://00", "file:///mnt/x", "", "http://[", "127.0.0.1:9",
	} {
		if why := studio.Refusal(src); why != "" {
			t.Errorf("%s: %s", src, why)
		}
	}
	if why := farm.Refusal("http://localhost:3000/"); why != "" {
		t.Errorf("a farm that allows loopback refuses it: %s", why)
	}
	if why := studio.Refusal("http://127.0.0.1:1/"); !strings.Contains(why, "--allow-loopback") {
		t.Errorf("%q does not name the way out", why)
	}
}

func TestLoopbackIsAllowedWhereItIsNamed(t *testing.T) {
	p, err := address.ParsePolicy([]string{"10.0.0.0/8", "127.0.0.1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p = p.WithoutLoopback()
	for ip, want := range map[string]bool{"127.0.0.1": true, "127.0.0.2": false, "::1": false, "10.3.2.1": true} {
		if p.Allows(netip.MustParseAddr(ip)) != want {
			t.Errorf("%s: allowed is not %v", ip, want)
		}
	}
	if p := (address.Policy{}).WithoutLoopback(); p.Allows(netip.MustParseAddr("::1")) || p.Allows(netip.MustParseAddr("::ffff:127.0.0.1")) || !p.Allows(netip.MustParseAddr("10.0.0.1")) {
		t.Error("a policy without loopback is not one")
	}
}
