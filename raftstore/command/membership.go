package command

import (
	"time"

	"overcrank/farm"
)

// PutNodeInvitation invites a coordinator.
type PutNodeInvitation struct{ Invitation farm.NodeInvitation }

// UseNodeInvitation lets a node have the farm's keys, or is refused. The node that has used the invitation may use it again
// until it expires, because it may not have heard the answer; no other may.
type UseNodeInvitation struct {
	Hash string // of the invitation's secret
	Node string
	At   time.Time
}

// RevokeNodeInvitation takes an invitation back. A node that has come with it has the farm's keys and keeps them.
type RevokeNodeInvitation struct{ ID string }

// ForgetNodeInvitations drops invitations that expired before a moment.
type ForgetNodeInvitations struct{ Before time.Time }

func (PutNodeInvitation) Needs() int     { return ClusterLevel }
func (UseNodeInvitation) Needs() int     { return ClusterLevel }
func (RevokeNodeInvitation) Needs() int  { return ClusterLevel }
func (ForgetNodeInvitations) Needs() int { return ClusterLevel }
