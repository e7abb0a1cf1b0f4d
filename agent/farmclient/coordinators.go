package farmclient

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// coordinators holds the addresses of the farm's coordinators, and which of them this machine talks to. A server must show a certificate of
// the farm's authority, so a wrong address costs the time of one call and nothing else. It is safe for concurrent use.
type coordinators struct {
	mu         sync.Mutex
	configured []string
	told       []string        // by the farm, most recently
	met        func() []string // in gossip; may be nil
	base       string          // of the one that this machine talks to
	tried      map[string]bool // those that failed in this round, which a welcome ends
}

func newCoordinators(configured []string) *coordinators {
	c := &coordinators{tried: map[string]bool{}}
	for _, address := range configured {
		if address = OverTLS(strings.TrimRight(strings.TrimSpace(address), "/")); address != "" && !slices.Contains(c.configured, address) {
			c.configured = append(c.configured, address)
		}
	}
	if len(c.configured) > 0 {
		c.base = c.configured[0]
	}
	return c
}

// OverTLS is a base address with the scheme for TLS: coordinators speak it on the same port.
func OverTLS(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" {
		return base
	}
	u.Scheme = "https"
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), "80")
	}
	return u.String()
}

// Address is the base address of the coordinator that this machine talks to: the one that leads, as far as known.
func (c *coordinators) Address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base
}

// Several tells whether there is another one to turn to.
func (c *coordinators) Several() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.knownLocked()) > 1
}

// Welcomed notes that the one that this machine talks to leads.
func (c *coordinators) Welcomed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tried)
}

// SetAddresses replaces the coordinators that the farm has told of.
func (c *coordinators) SetAddresses(all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	here := onlyHere(c.base)
	c.told = nil
	for _, address := range all {
		// A coordinator that calls itself localhost is on this machine only when this machine reaches it so.
		if address = OverTLS(address); !onlyHere(address) || here {
			c.told = append(c.told, address)
		}
	}
}

// SetGossip gives the function that lists the coordinators met in gossip; nil for none.
func (c *coordinators) SetGossip(met func() []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.met = met
}

// onlyHere tells whether an address means whichever machine it is read on.
func onlyHere(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// TryLeader makes the coordinator that leads the one to talk to. It does nothing and is false when leader is "" or has failed in this round.
func (c *coordinators) TryLeader(leader string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	leader = OverTLS(leader)
	c.tried[c.base] = true
	if leader == "" || c.tried[leader] {
		return false
	}
	c.base = leader
	return true
}

// TryNext makes another coordinator the one to talk to, chosen at random so that the machines of a farm spread over those that are left. all
// says that every one of them has failed, so the next try should wait longer.
func (c *coordinators) TryNext() (all bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried[c.base] = true
	known := c.knownLocked()
	left := slices.DeleteFunc(slices.Clone(known), func(address string) bool { return c.tried[address] })
	if all = len(left) == 0; all {
		clear(c.tried)
		if left = slices.DeleteFunc(known, func(address string) bool { return address == c.base }); len(left) == 0 {
			left = []string{c.base}
		}
	}
	c.base = left[rand.N(len(left))]
	return all
}

// knownLocked is every coordinator that this machine has heard of.
func (c *coordinators) knownLocked() []string {
	known := slices.Concat(c.configured, c.told)
	if c.met != nil {
		for _, address := range c.met() {
			known = append(known, OverTLS(address))
		}
	}
	slices.Sort(known)
	return slices.DeleteFunc(slices.Compact(known), func(address string) bool { return address == "" })
}
