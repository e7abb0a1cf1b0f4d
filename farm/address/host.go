package address

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"overcrank/farm"
)

// metadataNames are the host names under which clouds serve a machine its own credentials: Google's, and Amazon's.
var metadataNames = []string{"metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}

// loopbackNames are the names of the machine itself. All names below localhost mean it, too (RFC 6761, 6.3).
var loopbackNames = []string{"localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6", "ip6-localhost", "ip6-loopback"}

// loopback are the networks in which a machine reaches only itself.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// WithoutLoopback is the policy that also denies this machine's own services, unless Allow names an address of loopback
// itself: programs that listen there expect no other callers.
func (p Policy) WithoutLoopback() Policy {
	for _, own := range loopback {
		if !slices.ContainsFunc(p.Allow, func(n netip.Prefix) bool { return n.Bits() >= own.Bits() && own.Contains(n.Addr()) }) {
			p.Deny = append(slices.Clip(p.Deny), own)
		}
	}
	return p
}

// IsLoopback tells whether a host is written as the machine itself.
func IsLoopback(host string) bool {
	ip, spelled := Spelled(host)
	return spelled && dialled(ip).IsLoopback()
}

// Spelled is the address that a host's spelling gives without a lookup, in every form that resolvers accept: 10.0.0.7,
// [::1], 127.1, 0x7f000001, 2130706433, localhost. Other names have to be resolved.
func Spelled(host string) (netip.Addr, bool) {
	return spelledPlain(plainHost(host))
}

func spelledPlain(host string) (netip.Addr, bool) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip, true
	}
	if slices.Contains(loopbackNames, host) || strings.HasSuffix(host, ".localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	return numeric(host)
}

// plainHost is a host as resolvers read it: in lower case, with ASCII digits and dots, without the trailing dot of the
// root.
func plainHost(host string) string {
	host = strings.ToLower(strings.ReplaceAll(norm.NFKC.String(host), "。", "."))
	return strings.TrimSuffix(host, ".")
}

// numeric reads an IPv4 address in the forms of inet_aton: one to four numbers, decimal, octal or hexadecimal, the last
// of which fills the rest of the 32 bits.
func numeric(host string) (netip.Addr, bool) {
	if host == "" || host[0] < '0' || host[0] > '9' { // most names: nothing to parse
		return netip.Addr{}, false
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var bits uint64
	for i, part := range parts {
		last := i == len(parts)-1
		n, err := strconv.ParseUint(part, 0, 32)
		width := 8
		if last {
			width = 8 * (4 - i)
		}
		if err != nil || strings.ContainsAny(part, "_bo") && !strings.HasPrefix(part, "0x") || n >= 1<<width {
			return netip.Addr{}, false
		}
		bits = bits<<width | n
	}
	return netip.AddrFrom4([4]byte{byte(bits >> 24), byte(bits >> 16), byte(bits >> 8), byte(bits)}), true
}

// Refusal says why this farm does not connect to an address, judged by its spelling; "" when it may, or when the name
// has to be resolved first. Secrets within the address are unknown here. It refuses a job early that would wait, render
// and then fail; the check that counts is made on the address that is dialled.
func (p Policy) Refusal(src string) string {
	const unknown = "secret"
	if src == "" {
		return ""
	}
	src, _ = farm.ReplaceSecrets(src, func(string) (string, error) { return unknown, nil })
	u, err := url.Parse(strings.TrimSpace(src))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || strings.Contains(u.Host, unknown) {
		return ""
	}
	return p.refusesHost(u)
}

func (p Policy) refusesHost(u *url.URL) string {
	host := plainHost(u.Hostname())
	if slices.Contains(metadataNames, host) {
		return "names a cloud's metadata service, which gives out credentials: the farm never connects to it"
	}
	ip, spelled := spelledPlain(host)
	switch {
	case !spelled || p.Allows(ip) || dialled(ip).IsLoopback() && p.IsOwn(HostPort(u)):
		return ""
	case !Downloadable(ip):
		return "names " + ip.String() + ", to which the farm never connects: it is link-local, a cloud's metadata service, or not the address of one machine"
	case dialled(ip).IsLoopback():
		return "names the machine itself (" + u.Hostname() + "); its own services are out of reach unless the farm allows them (--allow-loopback, --deny-address)"
	default:
		return "names " + ip.String() + ", which this farm's settings exclude (--allow-address, --deny-address)"
	}
}

// IsOwn tells whether a host with its port is the farm's own public address.
func (p Policy) IsOwn(hostPort string) bool {
	return slices.Contains(p.Own, strings.ToLower(hostPort))
}

// HostPort is the host of an address with its port, in lower case, also where that is the scheme's own.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
