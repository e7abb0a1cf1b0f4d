package inbound

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// Caller is whom an address, with or without a port, stands for. Whoever has one address of version 6 has all of its network of 64 bits.
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

// Proxies are the networks of the machines that hand requests of others on, and whose word on where those come from counts.
type Proxies []netip.Prefix

// ParseProxies reads networks, such as 10.0.0.0/24, and single addresses.
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

// Has tells whether an address, with or without a port, is a proxy's.
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

// Origin is where a request comes from that came over a connection from remote. Of a proxy's it is the last address in forwarded, the
// values of the headers X-Forwarded-For in their order, that is not a proxy's too: those before it are only what the caller says.
func (p Proxies) Origin(remote string, forwarded []string) string {
	origin, told := remote, strings.Join(forwarded, ",")
	for p.Has(origin) && told != "" {
		i := strings.LastIndexByte(told, ',')
		ip, err := parse(strings.TrimSpace(told[i+1:]))
		if err != nil {
			break // a proxy that tells nonsense is the nearest that is known
		}
		origin, told = ip.String(), told[:max(i, 0)]
	}
	return origin
}
