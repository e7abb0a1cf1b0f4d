package address

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Policy is the administrator's rule for the machines that downloads, uploads and webhooks may connect to, beyond what
// Downloadable never allows. The zero Policy allows every other address.
type Policy struct {
	// Allow, when not empty, lists the only networks that may be connected to.
	Allow []netip.Prefix `json:"allow,omitempty"`
	// Deny lists networks that may not be connected to, even when Allow has them.
	Deny []netip.Prefix `json:"deny,omitempty"`
	// Own are the farm's own public addresses, each a host with its port. They are always allowed, though the farm
	// connects to itself then: one job's result may be another's footage.
	Own []string `json:"own,omitempty"`
}

// Allows says whether the farm may connect to ip. Check the address that is dialled, after names were resolved, and
// again after every redirect.
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
			return nil, fmt.Errorf("%q is neither a network such as 10.0.0.0/8 nor a machine such as 10.0.0.7; host names are not accepted", text)
		}
		if ip := network.Addr(); ip.Is4In6() && network.Bits() >= 96 {
			network = netip.PrefixFrom(ip.Unmap(), network.Bits()-96)
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}
