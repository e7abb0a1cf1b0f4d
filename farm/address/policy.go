package address

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Policy is an administrator's word on which machines downloads, uploads and webhooks may ask, beyond what Downloadable
// never allows. The zero Policy allows every other address.
type Policy struct {
	// Allow, when not empty, lists the only networks that may be asked.
	Allow []netip.Prefix `json:"allow,omitempty"`
	// Deny lists networks that may not be asked, also when Allow has them.
	Deny []netip.Prefix `json:"deny,omitempty"`
	// Own are the farm's own public addresses, each a host with its port. They may be asked although their machine is the one that
	// asks: a result of the farm is where another job takes its footage from.
	Own []string `json:"own,omitempty"`
}

// Allows says whether ip may be asked. It must be asked about the address that is really dialled, after names were
// resolved, and again for every redirect.
func (p Policy) Allows(ip netip.Addr) bool {
	end := dialled(ip)
	return Downloadable(end) && (len(p.Allow) == 0 || within(p.Allow, end)) && !within(p.Deny, end) && !within(p.Deny, ip.Unmap().WithZone(""))
}

func within(list []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// ParsePolicy reads lists of networks, such as 10.0.0.0/8, and single machines, such as 10.0.0.7.
func ParsePolicy(allow, deny []string) (Policy, error) {
	var p Policy
	var err error
	if p.Allow, err = prefixes(allow); err != nil {
		return Policy{}, err
	}
	if p.Deny, err = prefixes(deny); err != nil {
		return Policy{}, err
	}
	return p, nil
}

func prefixes(list []string) ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range list {
		text = strings.TrimSpace(text)
		if ip, err := netip.ParseAddr(text); err == nil {
			ip = ip.Unmap().WithZone("")
			networks = append(networks, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%q is no network such as 10.0.0.0/8, and no machine such as 10.0.0.7; names of hosts cannot be given", text)
		}
		if ip := network.Addr(); ip.Is4In6() && network.Bits() >= 96 {
			network = netip.PrefixFrom(ip.Unmap(), network.Bits()-96)
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}
