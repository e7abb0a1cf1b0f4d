package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) putNodeInvitation(c command.PutNodeInvitation) command.Result {
	invitation := c.Invitation
	if err := checkID("invitation", invitation.ID); err != nil {
		return refuse(err)
	}
	switch {
	case invitation.Hash == "":
		return refusef(farm.CodeInvalid, "invitation %s has no secret", invitation.ID)
	case invitation.Node != "":
		return refusef(farm.CodeInvalid, "invitation %s has been used already", invitation.ID)
	case t.has(bucketNodeInvitations, invitation.ID):
		return refusef(farm.CodeConflict, "invitation %s exists already", invitation.ID)
	}
	put(t, bucketNodeInvitations, invitation.ID, invitation)
	return command.Result{}
}

func (t *tables) useNodeInvitation(c command.UseNodeInvitation) command.Result {
	if err := checkID("coordinator", c.Node); err != nil {
		return refuse(err)
	}
	invitation, found := t.nodeInvitation(c.Hash)
	switch {
	case !found:
		return refusef(farm.CodeUnauthorized, "this farm has made no such token for coordinators, or it was revoked; ask for another (overcrank cluster invite)")
	case invitation.Expired(c.At):
		return refusef(farm.CodeUnauthorized, "this token for coordinators has expired; ask for another (overcrank cluster invite)")
	case invitation.Node == c.Node:
		return command.Result{}
	case invitation.Node != "":
		return refusef(farm.CodeUnauthorized, "this token for coordinators has been used by node %s; ask for another (overcrank cluster invite)", invitation.Node)
	}
	invitation.Node, invitation.UsedAt = c.Node, c.At
	put(t, bucketNodeInvitations, invitation.ID, invitation)
	return command.Result{}
}

// nodeInvitation finds an invitation by the hash of its secret. There are never more than a few.
func (t *tables) nodeInvitation(hash string) (farm.NodeInvitation, bool) {
	for _, invitation := range all[farm.NodeInvitation](t, bucketNodeInvitations) {
		if hash != "" && invitation.Hash == hash {
			return invitation, true
		}
	}
	return farm.NodeInvitation{}, false
}

func (t *tables) revokeNodeInvitation(c command.RevokeNodeInvitation) command.Result {
	if !t.has(bucketNodeInvitations, c.ID) {
		return refuse(noJoinToken(c.ID))
	}
	t.remove(bucketNodeInvitations, c.ID)
	return command.Result{}
}

func (t *tables) forgetNodeInvitations(c command.ForgetNodeInvitations) command.Result {
	for _, invitation := range all[farm.NodeInvitation](t, bucketNodeInvitations) {
		if invitation.Expired(c.Before) {
			t.remove(bucketNodeInvitations, invitation.ID)
		}
	}
	return command.Result{}
}

// NodeInvitations reads the invitations of coordinators, by id.
func (tx *Tx) NodeInvitations() ([]farm.NodeInvitation, error) {
	return all[farm.NodeInvitation](tx.t, bucketNodeInvitations), tx.t.err
}
