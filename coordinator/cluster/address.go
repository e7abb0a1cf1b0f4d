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

// PublicAddress is the farm's one base address, without a trailing slash, with which every link begins on every coordinator. It is the
// one in the coordinators' settings, or the first coordinator's own address if none is set.
func (c *Cluster) PublicAddress() string {
	if known := c.public.Load(); known != nil {
		return *known
	}
	return cmp.Or(c.cfg.PublicAddress, c.cfg.NodeAddress)
}

// learnPublicAddress computes the farm's address from the records of its coordinators, so that all of them arrive at the same. For this
// node it uses the current settings, since its record follows them a moment later.
func (c *Cluster) learnPublicAddress() {
	self := c.self()
	others := slices.DeleteFunc(c.records(), func(r farm.Coordinator) bool { return r.ID == self.ID })
	if address := publicAddressOf(append(others, self)); address != "" {
		c.public.Store(&address)
	}
}

// publicAddressOf is the farm's address by the records of its coordinators, "" while there are none. Where they name several, the one of
// the lowest id wins until an administrator makes them agree.
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

// addressWarnings lists what is wrong with the addresses in the coordinators' settings.
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
			words = append(words, fmt.Sprintf("%s have the same address for machines, %s: give each its own with --node-address",
				strings.Join(names, ", "), address))
		}
	}
	switch {
	case len(named) > 1:
		var each []string
		for _, address := range slices.Sorted(maps.Keys(named)) {
			each = append(each, fmt.Sprintf("%s on %s", cmp.Or(address, "none"), strings.Join(named[address], ", ")))
		}
		words = append(words, fmt.Sprintf("--public-address must be the same on every coordinator but is %s; links begin with %s",
			strings.Join(each, "; "), publicAddressOf(records)))
	case named[""] != nil:
		words = append(words, fmt.Sprintf("the farm has no address of its own: links begin with %s and fail while that coordinator is away; "+
			"give every coordinator the same --public-address, a name that resolves to all of them", publicAddressOf(records)))
	}
	return words
}

// BaseAddresses returns all base addresses by which callers may know the farm: its own and its coordinators'.
func (c *Cluster) BaseAddresses(tx *raftstore.Tx) ([]string, error) {
	nodes, err := c.NodeAddresses(tx)
	all := append(nodes, c.PublicAddress())
	slices.Sort(all)
	return slices.Compact(all), err
}

// NodeAddresses returns the base addresses at which agents reach the coordinators, including this one.
func (c *Cluster) NodeAddresses(tx *raftstore.Tx) ([]string, error) {
	addresses := []string{c.cfg.NodeAddress}
	known, err := tx.Coordinators()
	for _, node := range known {
		addresses = append(addresses, node.Public)
	}
	slices.Sort(addresses)
	return slices.DeleteFunc(slices.Compact(addresses), func(address string) bool { return address == "" }), err
}
