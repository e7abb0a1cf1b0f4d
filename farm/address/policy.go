package address

import "net/netip"

// Policy is an administrator's word on which machines downloads, uploads and webhooks may ask, beyond what Downloadable
// never allows. The zero Policy allows every other address.
type Policy struct {
	// Allow, when not empty, lists the only networks that may be asked.
	Allow []netip.Prefix `json:"allow,omitempty"`
	// Deny lists networks that may not be asked, also when Allow has them.
	Deny []netip.Prefix `json:"deny,omitempty"`
}

// Allows says whether ip may be asked. It must be asked about the address that is really dialled, after names were
// resolved, and again for every redirect.
func (p Policy) Allows(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	within := func(list []netip.Prefix) bool {
		for _, prefix := range list {
			if prefix.Contains(ip) {
				return true
			}
		}
		return false
	}
	return Downloadable(ip) && (len(p.Allow) == 0 || within(p.Allow)) && !within(p.Deny)
}
