package inbound

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Caller is the key under which connections from an address, with or without a port, are counted: an IPv4 address itself, the /64
// network of an IPv6 address, since one machine has all addresses of such a network, and any other text as it is.
func Caller(address string) string {
	ip, err := parse(address)
	if err != nil {
		return address
	}
	if ip.Is4() {
		return ip.String()
	}
	network, _ := ip.Prefix(64) // fails only for more bits than there are
	return network.String()
}

func parse(address string) (netip.Addr, error) {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	ip, err := netip.ParseAddr(strings.Trim(address, "[]"))
	return ip.Unmap().WithZone(""), err
}

// Proxies are the networks of trusted reverse proxies: their header X-Forwarded-For is believed.
type Proxies []netip.Prefix

// ParseProxies parses networks, such as 10.0.0.0/24, and single addresses.
func ParseProxies(list []string) (Proxies, error) {
	var proxies Proxies
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			ip, single := netip.ParseAddr(text)
			if single != nil {
				return nil, fmt.Errorf("%q is neither a network, such as 10.0.0.0/24, nor an address", text)
			}
			network = netip.PrefixFrom(ip, ip.BitLen())
		}
		proxies = append(proxies, network.Masked())
	}
	return proxies, nil
}

// Has reports whether an address, with or without a port, belongs to a trusted proxy.
func (p Proxies) Has(address string) bool {
	if len(p) == 0 {
		return false
	}
	ip, err := parse(address)
	if err != nil {
		return false
	}
	for _, network := range p {
		if network.Contains(ip) {
			return true
		}
	}
	return false
}

// Origin is the address that a request comes from. remote is the other end of the connection, forwarded the values of the headers
// X-Forwarded-For in their order. When remote is a trusted proxy, the origin is the last address in forwarded that is not a trusted
// proxy itself: addresses before that one are written by the caller and cannot be trusted.
func (p Proxies) Origin(remote string, forwarded []string) string {
	origin, rest := remote, strings.Join(forwarded, ",")
	for p.Has(origin) && rest != "" {
		i := strings.LastIndexByte(rest, ',')
		ip, err := parse(strings.TrimSpace(rest[i+1:]))
		if err != nil {
			break // not an address: the proxy that wrote it is the last known origin
		}
		origin, rest = ip.String(), rest[:max(i, 0)]
	}
	return origin
}
