// Package address says what coordinators and agents agree on about addresses that come from outside: how a data: address is
// read, and which machines a download may ask. It does no I/O.
package address

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Data decodes a data: address (RFC 2397). mediaType is "" when the address names none; parameters such as a charset are
// left out. White space within base64 and missing padding are accepted.
func Data(src string) (content []byte, mediaType string, err error) {
	if len(src) < len("data:") || !strings.EqualFold(src[:len("data:")], "data:") {
		return nil, "", errors.New("not a data: address")
	}
	head, body, found := strings.Cut(src[len("data:"):], ",")
	if !found {
		return nil, "", errors.New("a data: address needs a comma before its content")
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, "", fmt.Errorf("the data: address has an invalid escape: %w", err)
	}
	head, isBase64 := strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(head, ";")
	if !isBase64 {
		return []byte(text), mediaType, nil
	}
	content, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Map(dropSpace, text), "="))
	if err != nil {
		return nil, "", fmt.Errorf("the data: address is not valid base64: %w", err)
	}
	return content, mediaType, nil
}

func dropSpace(r rune) rune {
	if strings.ContainsRune(" \t\r\n", r) {
		return -1
	}
	return r
}

// metadata are the addresses outside the link-local range at which clouds serve a machine its own credentials:
// Alibaba's, Amazon's over IPv6, Oracle's, Azure's, Google's over IPv6.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("fd20:ce::254"),
}

// Prefixes of IPv6 addresses that embed an IPv4 address, to which a gateway sends the packet.
var (
	translated = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052; the IPv4 address is in the last 4 bytes
	compatible = netip.MustParsePrefix("::/96")        // RFC 4291, 2.5.5.1; likewise
	sixToFour  = netip.MustParsePrefix("2002::/16")    // RFC 3056; in bytes 2 to 5
)

// dialled is the address that a connection to ip reaches: an IPv4 address embedded in an IPv6 one is taken out of it.
func dialled(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if !ip.Is6() || ip.IsUnspecified() || ip.IsLoopback() {
		return ip
	}
	b := ip.As16()
	switch {
	case translated.Contains(ip), compatible.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:]))
	case sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	default:
		return ip
	}
}

// Downloadable says whether a download may connect to ip. The studio's own networks are allowed, since its files are
// there. Link-local addresses and the metadata services of clouds are not: they hand out this machine's credentials.
// Check the address that is dialled, after names were resolved.
func Downloadable(ip netip.Addr) bool {
	ip = dialled(ip)
	return ip.IsValid() && !ip.IsLinkLocalUnicast() && !ip.IsMulticast() && !ip.IsUnspecified() && !slices.Contains(metadata, ip)
}
