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

// Data decodes a data: address (RFC 2397). mediaType is "" when the address names none; parameters such as a charset are left
// out. White space within base64 and missing padding are forgiven.
func Data(src string) (content []byte, mediaType string, err error) {
	if len(src) < len("data:") || !strings.EqualFold(src[:len("data:")], "data:") {
		return nil, "", errors.New("it is no data: address")
	}
	head, body, found := strings.Cut(src[len("data:"):], ",")
	if !found {
		return nil, "", errors.New("a data: address needs a comma before its content")
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return nil, "", fmt.Errorf("a data: address is wrongly escaped: %w", err)
	}
	head, isBase64 := strings.CutSuffix(head, ";base64")
	mediaType, _, _ = strings.Cut(head, ";")
	if !isBase64 {
		return []byte(text), mediaType, nil
	}
	content, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.Map(dropSpace, text), "="))
	if err != nil {
		return nil, "", fmt.Errorf("a data: address is no base64: %w", err)
	}
	return content, mediaType, nil
}

func dropSpace(r rune) rune {
	if strings.ContainsRune(" \t\r\n", r) {
		return -1
	}
	return r
}

// metadata are the addresses outside the link-local range at which clouds hand a machine its own credentials: Alibaba's,
// Amazon's over IPv6, Oracle's.
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("192.0.0.192"),
}

// Downloadable says whether a download may connect to ip. The studio's own networks are allowed, since its files lie there;
// link-local addresses and those of cloud metadata are not, since they answer with what only this machine should know.
// It must be asked about the address that is really dialled, after names were resolved.
func Downloadable(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsValid() && !ip.IsLinkLocalUnicast() && !ip.IsMulticast() && !ip.IsUnspecified() && !slices.Contains(metadata, ip)
}
