package command

import (
	"time"

	"overcrank/farm"
)

// PutJoinToken makes an invitation.
type PutJoinToken struct{ Token farm.JoinToken }

// RevokeJoinToken takes an invitation back. Machines that have come with it stay.
type RevokeJoinToken struct{ ID string }

// ForgetInvitations drops invitations that expired before a moment.
type ForgetInvitations struct{ Before time.Time }

// JoinAgent uses an invitation once and makes a machine an agent, or is refused. A machine that shows the key with which it
// has come by the same invitation, because it did not hear the answer, changes nothing.
type JoinAgent struct {
	Hash  string // of the invitation's secret
	Agent farm.Agent
	At    time.Time
}

// RenewAgentKey gives an agent its next key beside the one, or the bearer secret of an earlier release, that it shows now.
// Any other key of it stops working.
type RenewAgentKey struct {
	ID         string
	Key        string `json:",omitempty"` // SHA-256 of the key that it shows
	SecretHash string `json:",omitempty"` // or the hash of the secret
	Next       farm.AgentKey
	At         time.Time
}

// ConfirmAgentKey says that an agent has come with a key, so that whatever else it could show stops working.
type ConfirmAgentKey struct{ ID, Key string }

func (PutJoinToken) Needs() int      { return ClusterLevel }
func (RevokeJoinToken) Needs() int   { return ClusterLevel }
func (c JoinAgent) Needs() int       { return inventoryLevel(c.Agent.Inventory) }
func (RenewAgentKey) Needs() int     { return ClusterLevel }
func (ConfirmAgentKey) Needs() int   { return ClusterLevel }
func (ForgetInvitations) Needs() int { return ClusterLevel }
