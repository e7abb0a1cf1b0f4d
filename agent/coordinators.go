package agent

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// coordinators are those of the farm that this machine knows, and the one of them that it talks to. Whoever answers at an address has to
// show a certificate of the farm's authority, so a wrong address costs the time of a call and nothing else. It is safe for concurrent
// use.
type coordinators struct {
	mu         sync.Mutex
	configured []string
	told       []string        // by the farm, the last time it was heard
	met        func() []string // in gossip; may be nil
	base       string          // that this machine talks to
	tried      map[string]bool // in vain, since one of them welcomed this machine or all of them were tried
}

func newCoordinators(configured []string) *coordinators {
	c := &coordinators{tried: map[string]bool{}}
	for _, address := range configured {
		if address = overTLS(strings.TrimRight(strings.TrimSpace(address), "/")); address != "" && !slices.Contains(c.configured, address) {
			c.configured = append(c.configured, address)
		}
	}
	if len(c.configured) > 0 {
		c.base = c.configured[0]
	}
	return c
}

// overTLS is a base address with the scheme for TLS: coordinators speak it on the same port.
func overTLS(base string) string {
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

// address is the base address of the coordinator that this machine talks to: the one that leads, as far as known.
func (c *coordinators) address() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base
}

// several tells whether there is another one to turn to.
func (c *coordinators) several() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.knownLocked()) > 1
}

// welcomed notes that the one that this machine talks to leads.
func (c *coordinators) welcomed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tried)
}

// tell notes all coordinators of the farm, as one of them has told.
func (c *coordinators) tell(all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	here := onlyHere(c.base)
	c.told = nil
	for _, address := range all {
		// A coordinator that calls itself localhost is on this machine only when this machine reaches it so.
		if address = overTLS(address); !onlyHere(address) || here {
			c.told = append(c.told, address)
		}
	}
}

// hear makes met tell of coordinators that were met in gossip; nil for nobody.
func (c *coordinators) hear(met func() []string) {
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

// turnTo makes the one that leads the coordinator to talk to. It is false, and nothing changes, when leader is "" or was tried in vain.
func (c *coordinators) turnTo(leader string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	leader = overTLS(leader)
	c.tried[c.base] = true
	if leader == "" || c.tried[leader] {
		return false
	}
	c.base = leader
	return true
}

// turn makes another one the coordinator to talk to, at random, so that the machines of a farm spread over those that are left. all
// tells that every one has been tried, so that the next try should wait longer.
func (c *coordinators) turn() (all bool) {
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
			known = append(known, overTLS(address))
		}
	}
	slices.Sort(known)
	return slices.DeleteFunc(slices.Compact(known), func(address string) bool { return address == "" })
}
