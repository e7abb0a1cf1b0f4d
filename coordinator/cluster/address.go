package cluster

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overcrank/farm"
	"overcrank/raftstore"
)

// PublicAddress is the farm's one base address, without a trailing slash: every link begins with it, whichever coordinator gives it
// out. It is what the coordinators' settings name, and that of the first of them where none names any.
func (c *Cluster) PublicAddress() string {
	if known := c.public.Load(); known != nil {
		return *known
	}
	return cmp.Or(c.cfg.PublicAddress, c.cfg.NodeAddress)
}

// learnPublicAddress takes the farm's address from what its coordinators say of themselves, so that all of them come to the same.
// Of this node that is what it says now: its record follows a change of its settings a moment later.
func (c *Cluster) learnPublicAddress() {
	self := c.self()
	others := slices.DeleteFunc(c.records(), func(r farm.Coordinator) bool { return r.ID == self.ID })
	if address := publicAddressOf(append(others, self)); address != "" {
		c.public.Store(&address)
	}
}

// publicAddressOf is the farm's address by the records of its coordinators, "" while there are none. Where they name several, the
// first counts, by id, until an administrator has made them agree.
func publicAddressOf(records []farm.Coordinator) string {
	records = slices.SortedFunc(slices.Values(records), func(a, b farm.Coordinator) int { return strings.Compare(a.ID, b.ID) })
	for _, r := range records {
		if r.Farm != "" {
			return r.Farm
		}
	}
	for _, r := range records {
		if r.Public != "" {
			return r.Public
		}
	}
	return ""
}

// addressWarnings say what is wrong with the addresses that a farm's coordinators have in their settings.
func addressWarnings(records []farm.Coordinator) []string {
	if len(records) < 2 {
		return nil
	}
	var words []string
	named, shared := map[string][]string{}, map[string][]string{}
	for _, r := range records {
		named[r.Farm] = append(named[r.Farm], r.Name)
		shared[r.Public] = append(shared[r.Public], r.Name)
	}
	for _, address := range slices.Sorted(maps.Keys(shared)) {
		if names := shared[address]; address != "" && len(names) > 1 {
			words = append(words, fmt.Sprintf("%s all say that machines reach them at %s: give each an address of its own with --node-address",
				strings.Join(names, ", "), address))
		}
	}
	switch {
	case len(named) > 1:
		var each []string
		for _, address := range slices.Sorted(maps.Keys(named)) {
			each = append(each, fmt.Sprintf("%s on %s", cmp.Or(address, "none"), strings.Join(named[address], ", ")))
		}
		words = append(words, fmt.Sprintf("--public-address has to be the same on every coordinator, and is %s; links begin with %s",
			strings.Join(each, "; "), publicAddressOf(records)))
	case named[""] != nil:
		words = append(words, fmt.Sprintf("the farm has no address of its own: links begin with %s and fail while that coordinator is away; "+
			"give every coordinator the same --public-address, a name that leads to all of them", publicAddressOf(records)))
	}
	return words
}

// BaseAddresses are the addresses by which callers may know the farm: its own, and those of its coordinators.
func (c *Cluster) BaseAddresses(tx *raftstore.Tx) ([]string, error) {
	nodes, err := c.NodeAddresses(tx)
	all := append(nodes, c.PublicAddress())
	slices.Sort(all)
	return slices.Compact(all), err
}

// NodeAddresses are the base addresses at which agents reach the farm's coordinators: those that the state knows, and this one's.
func (c *Cluster) NodeAddresses(tx *raftstore.Tx) ([]string, error) {
	addresses := []string{c.cfg.NodeAddress}
	known, err := tx.Coordinators()
	for _, node := range known {
		addresses = append(addresses, node.Public)
	}
	slices.Sort(addresses)
	return slices.DeleteFunc(slices.Compact(addresses), func(address string) bool { return address == "" }), err
}
