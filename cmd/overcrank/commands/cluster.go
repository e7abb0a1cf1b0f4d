package commands

// Cluster is about the coordinators as one.
type Cluster struct {
	Status      clusterStatus      `cmd:"" default:"withargs" help:"Show the state of the coordinators."`
	Invite      clusterInvite      `cmd:"" help:"Create a token with which one machine becomes a coordinator."`
	Invitations clusterInvitations `cmd:"" help:"List the invitations of coordinators."`
	Revoke      clusterRevoke      `cmd:"" help:"Revoke invitations of coordinators."`
	Key         clusterKey         `cmd:"" help:"Print the key for a new farm of several coordinators."`
	Transfer    clusterTransfer    `cmd:"" help:"Make another coordinator the leader."`
	Leave       clusterLeave       `cmd:"" help:"Remove the coordinator at --server from the farm; it ends by itself."`
	Remove      clusterRemove      `cmd:"" help:"Remove coordinators from the farm, also dead ones."`
	Recover     clusterRecover     `cmd:"" help:"After most coordinators are lost for good: continue with this machine's alone."`

	GossipKey   clusterGossipKey   `cmd:"" name:"gossip-key" help:"List and change the key with which coordinators and agents find each other."`
	Certificate clusterCertificate `cmd:"" help:"Print the certificate of the farm's authority, in PEM."`
	CA          clusterCA          `cmd:"" name:"ca" help:"Show the certificate authority that vouches for coordinators and agents."`
}
