package node

import "net"

// gossipPort is where coordinators gossip by default. Agents do at 7946, and may be on the same machine.
const gossipPort = "7947"

// gossip is where the coordinator gossips, host:port: agents and coordinators on other machines have to reach it where they reach the
// coordinator itself. One that listens to its own machine alone gossips there.
func (f Flags) gossip() string {
	if f.GossipListen != "" {
		return f.GossipListen
	}
	if f.onlyHere() {
		return "127.0.0.1:0"
	}
	host, _, _ := net.SplitHostPort(f.Listen) // it was listened to
	return net.JoinHostPort(host, gossipPort)
}

// gossipBeside is where an agent gossips on the coordinator's machine: others have to reach it as they reach the coordinator.
func (f Flags) gossipBeside() string {
	host, _, err := net.SplitHostPort(f.gossip())
	if err != nil {
		return "127.0.0.1:0"
	}
	return net.JoinHostPort(host, "0")
}

// onlyHere says whether --listen is an address that other machines cannot reach.
func (f Flags) onlyHere() bool {
	host, _, err := net.SplitHostPort(f.Listen)
	if err != nil || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
