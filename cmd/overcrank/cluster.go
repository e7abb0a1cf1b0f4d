package main

// clusterCommand is about the coordinators as one.
type clusterCommand struct {
	GossipKey clusterGossipKey `cmd:"" name:"gossip-key" help:"List and change the key with which coordinators and agents find each other."`
	CA        clusterCA        `cmd:"" name:"ca" help:"Show the certificate authority that vouches for coordinators and agents."`
}
