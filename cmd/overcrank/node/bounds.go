package node

import (
	"fmt"
	"time"

	"overcrank/api/request"
	"overcrank/api/throttle"
	"overcrank/cmd/overcrank/process"
	"overcrank/inbound"
)

const (
	// maxConnections keeps idle connections within 2 GiB of memory: each takes up to 32 KiB.
	maxConnections = 1 << 16
	// maxPerAddress is enough for a large studio whose machines share an address.
	maxPerAddress = 4096
)

// boundFlags are the flags of a coordinator that limit what callers may use at once.
type boundFlags struct {
	Connections      int           `help:"Connections that API, dashboard and agents may have open at once; further callers wait. 0 for three eighths of the files that the process may open, 65536 at most." default:"0" env:"OVERCRANK_CONNECTIONS"`
	PerAddress       int           `name:"connections-per-address" help:"Connections that one address may have open of those; further ones are closed. 0 for a quarter of them, 4096 at most." default:"0" env:"OVERCRANK_CONNECTIONS_PER_ADDRESS"`
	TrustedProxy     []string      `help:"Networks or addresses of reverse proxies in front of this coordinator: their header X-Forwarded-For is believed, and their connections are not counted as those of one address." placeholder:"NETWORK" env:"OVERCRANK_TRUSTED_PROXY"`
	LivePerPerson    int           `help:"Live pages and streams of events that one person or program may have open at once, by token; 0 for no limit." default:"64" env:"OVERCRANK_LIVE_PER_PERSON"`
	LivePerAddr      int           `name:"live-per-address" help:"Live pages and streams of events that may be open at once from one address; 0 for no limit." default:"1024" env:"OVERCRANK_LIVE_PER_ADDRESS"`
	ClusterStrangers int           `help:"Connections to --cluster-listen that one address may have open whose other side has not shown yet that it is a coordinator, a quarter of what all have at most: a sixteenth of the files that the process may open. 0 for no limit of one address." default:"256" env:"OVERCRANK_CLUSTER_STRANGERS"`
	GossipStreams    int           `help:"Connections to --gossip-listen that one address may have open at once, and four times as many all together; 0 for no limit." default:"16" env:"OVERCRANK_GOSSIP_STREAMS"`
	ReadingMemory    int64         `help:"Bytes of memory that the process may take that reads a template's file; two read at once, of different teams." default:"1073741824" env:"OVERCRANK_READING_MEMORY"`
	ReadingTime      time.Duration `help:"How long reading a template's file may take, unpacking included." default:"10m" env:"OVERCRANK_READING_TIME"`
}

// minReadingMemory, in bytes, is plenty for reading small templates.
const minReadingMemory = 64 << 20

// checkBounds refuses limits with which the farm could not be used.
func (f boundFlags) checkBounds() error {
	if f.Connections < 0 || f.PerAddress < 0 || f.LivePerPerson < 0 || f.LivePerAddr < 0 || f.ClusterStrangers < 0 || f.GossipStreams < 0 {
		return fmt.Errorf("--connections is %d, --connections-per-address %d, --live-per-person %d, --live-per-address %d, --cluster-strangers %d, "+
			"--gossip-streams %d: none can be below 0", f.Connections, f.PerAddress, f.LivePerPerson, f.LivePerAddr, f.ClusterStrangers, f.GossipStreams)
	}
	if f.ReadingMemory < minReadingMemory || f.ReadingTime < time.Second {
		return fmt.Errorf("--reading-memory is %d and --reading-time %v: they have to be %d and 1s at least, or no template can be read",
			f.ReadingMemory, f.ReadingTime, minReadingMemory)
	}
	if _, err := inbound.ParseProxies(f.TrustedProxy); err != nil {
		return fmt.Errorf("--trusted-proxy: %w", err)
	}
	return nil
}

// bounds are the limits on what callers may use at once. They stay when a reload replaces the coordinator of the process.
type bounds struct {
	port      inbound.Bounds
	gates     map[string]*inbound.Gate // by their names in the metrics
	proxies   inbound.Proxies
	follow    throttle.Followers
	bodies    *inbound.Gate
	strangers *inbound.Gate // connections to the coordinators' port that have not shown a certificate yet
	streams   *inbound.Gate // connections of gossip
}

// bounds are the limits that the flags set.
func (f boundFlags) bounds() (b bounds, err error) {
	if b.proxies, err = inbound.ParseProxies(f.TrustedProxy); err != nil {
		return b, err
	}
	total := f.Connections
	if total == 0 {
		// A connection that transfers a file needs two open files, and the farm has files of its own.
		total = min(maxConnections, max(64, process.OpenFiles()/8*3))
	}
	each := f.PerAddress
	if each == 0 {
		each = min(maxPerAddress, max(16, total/4))
	}
	connections := inbound.NewGate(each, 0)
	b.port = inbound.Bounds{Total: total, Gate: connections, Shared: b.proxies}
	b.follow = throttle.Followers{People: inbound.NewGate(f.LivePerPerson, 0), Addresses: inbound.NewGate(f.LivePerAddr, 0)}
	b.strangers = f.strangers(process.OpenFiles())
	b.streams = inbound.NewGate(f.GossipStreams, 4*f.GossipStreams)
	b.bodies = request.NewGate()
	b.gates = map[string]*inbound.Gate{
		"connections": connections, "live_by_person": b.follow.People, "live_by_address": b.follow.Addresses,
		"cluster_strangers": b.strangers, "gossip_streams": b.streams, "body_bytes": b.bodies,
	}
	return b, nil
}

// strangers limits the connections to the coordinators' port that have not shown a certificate yet, of a process that may open so many files.
// It takes four addresses to use up what all have together.
func (f boundFlags) strangers(files int) *inbound.Gate {
	total := max(16, files/16)
	return inbound.NewGate(min(f.ClusterStrangers, total/4), total)
}
