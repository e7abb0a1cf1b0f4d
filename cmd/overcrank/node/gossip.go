package node

import "net"

// gossipPort is the default port for gossip of coordinators. Agents use 7946, and may run on the same machine.
const gossipPort = "7947"

// gossip is the address for the coordinator's gossip, host:port: on the host of --listen, since whoever reaches the coordinator has to
// reach its gossip, too.
func (f Flags) gossip() string {
	if f.GossipListen != "" {
		return f.GossipListen
	}
	if f.onlyHere() {
		return "127.0.0.1:0"
	}
	host, _, _ := net.SplitHostPort(f.Listen) // valid: it was listened to
	return net.JoinHostPort(host, gossipPort)
}

// gossipBeside is the address for gossip of an agent on the coordinator's machine: the host of the coordinator's gossip, any port.
func (f Flags) gossipBeside() string {
	host, _, err := net.SplitHostPort(f.gossip())
	if err != nil {
		return "127.0.0.1:0"
	}
	return net.JoinHostPort(host, "0")
}

// onlyHere reports whether --listen is an address that other machines cannot reach.
func (f Flags) onlyHere() bool {
	host, _, err := net.SplitHostPort(f.Listen)
	if err != nil || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
