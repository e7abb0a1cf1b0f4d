package address_test

import (
	"net/netip"
	"testing"

	"overcrank/farm/address"
)

func TestDataIsDecoded(t *testing.T) {
	tests := []struct{ src, content, mediaType string }{
		{"data:text/plain,a%20b", "a b", "text/plain"},
		{"data:text/plain;charset=utf-8;base64,aGVsbG8=", "hello", "text/plain"},
		{"data:image/png;base64,aGVs\nbG8=", "hello", "image/png"},
		{"DATA:;base64,aGVsbG8", "hello", ""},
		{"data:,", "", ""},
	}
	for _, tt := range tests {
		content, mediaType, err := address.Data(tt.src)
		if err != nil || string(content) != tt.content || mediaType != tt.mediaType {
			t.Errorf("%q: got %q of type %q, %v", tt.src, content, mediaType, err)
		}
	}
	for _, src := range []string{"", "data", "data:no-comma", "data:;base64,!!", "data:,%zz", "http://x,y"} {
		if _, _, err := address.Data(src); err == nil {
			t.Errorf("%q was accepted", src)
		}
	}
}

func TestDownloadsStayAwayFromMetadata(t *testing.T) {
	for _, ip := range []string{
		"169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254", "0.0.0.0", "::", "fd00:ec2::254",
		"fd00:ec2::254%eth0", "100.100.100.200", "192.0.0.192", "224.0.0.1", "ff02::1",
		"64:ff9b::169.254.169.254", "64:ff9b::6464:64c8", "::169.254.169.254", "2002:a9fe:a9fe::1", "168.63.129.16", "fd20:ce::254",
	} {
		if address.Downloadable(netip.MustParseAddr(ip)) {
			t.Errorf("%s may be asked", ip)
		}
	}
	for _, ip := range []string{"127.0.0.1", "192.168.1.5", "10.0.0.1", "fd00::1", "93.184.215.14", "::1", "2001:db8::1", "64:ff9b::93.184.215.14"} {
		if !address.Downloadable(netip.MustParseAddr(ip)) {
			t.Errorf("%s may not be asked", ip)
		}
	}
	if address.Downloadable(netip.Addr{}) {
		t.Error("no address at all may be asked")
	}
}

func FuzzData(f *testing.F) {
	for _, src := range []string{"data:,", "data:text/plain;base64,aGVsbG8=", "data:", "data:%zz,%"} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if content, _, err := address.Data(src); err == nil && len(content) > len(src) {
			t.Errorf("%q gave %d bytes", src, len(content))
		}
	})
}

func TestPolicyIsRead(t *testing.T) {
	p, err := address.ParsePolicy([]string{"10.0.0.0/8", " 192.168.1.7", "::ffff:172.16.0.0/108"}, []string{"10.1.2.3/16", "fd00::7"})
	if err != nil {
		t.Fatal(err)
	}
	for ip, want := range map[string]bool{
		"10.0.0.1": true, "10.1.0.1": false, "192.168.1.7": true, "192.168.1.8": false, "::ffff:10.0.0.1": true,
		"172.16.3.4": true, "172.32.0.1": false, "fd00::7": false, "fd00::8": false, "169.254.169.254": false,
		"64:ff9b::10.0.0.1": true, "64:ff9b::10.1.0.1": false, "2002:a01:1::": false,
	} {
		if p.Allows(netip.MustParseAddr(ip)) != want {
			t.Errorf("%s: allowed is not %v", ip, want)
		}
	}
	for _, bad := range []string{"", "farm.local", "10.0.0.0/33", "*"} {
		if _, err := address.ParsePolicy(nil, []string{bad}); err == nil {
			t.Errorf("%q was taken for a network", bad)
		}
	}
}
