// Package cluster has the commands about the coordinators, their keys, and where they keep the files of the farm.
package cluster

// Commands are those below overcrank cluster.
type Commands struct {
	Status      statusCommand      `cmd:"" default:"withargs" help:"Show the state of the coordinators."`
	Backups     backupsCommand     `cmd:"" help:"List the latest backups of the farm."`
	Invite      inviteCommand      `cmd:"" help:"Create a token with which one machine becomes a coordinator."`
	Invitations invitationsCommand `cmd:"" help:"List the invitations of coordinators."`
	Revoke      revokeCommand      `cmd:"" help:"Revoke invitations of coordinators."`
	Key         keyCommand         `cmd:"" help:"Print the key for a new farm of several coordinators."`
	Transfer    transferCommand    `cmd:"" help:"Make another coordinator the leader."`
	Leave       leaveCommand       `cmd:"" help:"Remove the coordinator at --server from the farm; it ends by itself."`
	Remove      removeCommand      `cmd:"" help:"Remove coordinators from the farm, also dead ones."`
	Recover     recoverCommand     `cmd:"" help:"After most coordinators are lost for good: continue with this machine's alone."`

	GossipKey   gossipKeyCommands  `cmd:"" name:"gossip-key" help:"List and change the key with which coordinators and agents find each other."`
	Certificate certificateCommand `cmd:"" help:"Print the certificate of the farm's authority, in PEM."`
	CA          caCommand          `cmd:"" name:"ca" help:"Show the certificate authority that vouches for coordinators and agents."`
}
