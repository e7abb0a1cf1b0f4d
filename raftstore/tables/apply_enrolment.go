package tables

import (
	"slices"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func noJoinToken(id string) *farm.Error {
	return farm.Errorf(farm.CodeNotFound, "there is no invitation %q", id)
}

func (t *tables) putJoinToken(c command.PutJoinToken) command.Result {
	token := c.Token
	if err := checkID("invitation", token.ID); err != nil {
		return refuse(err)
	}
	switch {
	case token.Hash == "":
		return refusef(farm.CodeInvalid, "invitation %s has no secret", token.ID)
	case token.Left < 1:
		return refusef(farm.CodeInvalid, "nobody could join with invitation %s: it is good for no machine", token.ID)
	case t.has(bucketJoinTokens, token.ID):
		return refusef(farm.CodeConflict, "invitation %s exists already", token.ID)
	case t.has(bucketJoinTokensByHash, token.Hash):
		return refusef(farm.CodeConflict, "another invitation has the same secret")
	}
	put(t, bucketJoinTokens, token.ID, token)
	t.set(bucketJoinTokensByHash, token.Hash, []byte(token.ID))
	return command.Result{}
}

func (t *tables) revokeJoinToken(c command.RevokeJoinToken) command.Result {
	token, ok := get[farm.JoinToken](t, bucketJoinTokens, c.ID)
	if !ok {
		return refuse(noJoinToken(c.ID))
	}
	t.dropJoinToken(token)
	return command.Result{}
}

func (t *tables) forgetInvitations(c command.ForgetInvitations) command.Result {
	for _, token := range all[farm.JoinToken](t, bucketJoinTokens) {
		if token.Expired(c.Before) {
			t.dropJoinToken(token)
		}
	}
	return command.Result{}
}

func (t *tables) dropJoinToken(token farm.JoinToken) {
	t.remove(bucketJoinTokens, token.ID)
	t.remove(bucketJoinTokensByHash, token.Hash)
}

func (t *tables) joinAgent(c command.JoinAgent) command.Result {
	agent := c.Agent
	if err := checkID("machine", agent.ID); err != nil {
		return refuse(err)
	}
	if len(agent.Keys) != 1 || agent.Keys[0].SHA256 == "" || agent.SecretHash != "" {
		return refusef(farm.CodeInvalid, "machine %q does not come with one key", agent.Name)
	}
	token, ok := get[farm.JoinToken](t, bucketJoinTokens, t.lookup(bucketJoinTokensByHash, c.Hash))
	if !ok {
		return refusef(farm.CodeUnauthorized, "this farm has made no such join token, or it was revoked")
	}
	if known := t.lookup(bucketAgentsByKey, agent.Keys[0].SHA256); known != "" {
		if was, ok := get[farm.Agent](t, bucketAgents, known); ok && was.JoinToken == token.ID {
			return command.Result{}
		}
		return refusef(farm.CodeConflict, "another machine has the same key")
	}
	switch {
	case token.Expired(c.At):
		return refusef(farm.CodeUnauthorized, "this join token has expired; ask for another (overcrank agents invite)")
	case token.Left < 1:
		return refusef(farm.CodeUnauthorized, "this join token has been used; ask for another (overcrank agents invite)")
	case t.has(bucketAgents, agent.ID):
		return refusef(farm.CodeConflict, "machine %s has enrolled already", agent.ID)
	}
	token.Left--
	token.LastUsedAt = c.At
	put(t, bucketJoinTokens, token.ID, token)
	agent.JoinToken, agent.Tags = token.ID, token.Tags
	t.putCredentials(agent)
	return command.Result{Agents: []farm.Agent{agent}}
}

func (t *tables) renewAgentKey(c command.RenewAgentKey) command.Result {
	agent, ok := get[farm.Agent](t, bucketAgents, c.ID)
	if !ok {
		return refuse(noMachine(c.ID))
	}
	shown := slices.IndexFunc(agent.Keys, func(k farm.AgentKey) bool { return k.SHA256 == c.Key })
	bySecret := c.Key == "" && c.SecretHash != "" && c.SecretHash == agent.SecretHash
	owner := t.lookup(bucketAgentsByKey, c.Next.SHA256)
	switch {
	case shown < 0 && !bySecret:
		return refusef(farm.CodeUnauthorized, "machine %q shows a certificate that is no longer good", agent.Name)
	case c.Next.SHA256 == "" || c.Next.SHA256 == c.Key:
		return refusef(farm.CodeInvalid, "machine %q renews without another key", agent.Name)
	case owner != "" && owner != agent.ID:
		return refusef(farm.CodeConflict, "another machine has the same key")
	}
	t.dropCredentials(agent)
	keys := []farm.AgentKey{c.Next}
	if shown >= 0 {
		keys = []farm.AgentKey{agent.Keys[shown], c.Next}
	}
	agent.Keys = keys
	t.putCredentials(agent)
	return command.Result{}
}

func (t *tables) confirmAgentKey(c command.ConfirmAgentKey) command.Result {
	agent, ok := get[farm.Agent](t, bucketAgents, c.ID)
	if !ok {
		return refuse(noMachine(c.ID))
	}
	shown := slices.IndexFunc(agent.Keys, func(k farm.AgentKey) bool { return k.SHA256 == c.Key })
	if shown < 0 {
		return refusef(farm.CodeUnauthorized, "machine %q shows a certificate that is no longer good", agent.Name)
	}
	t.dropCredentials(agent)
	agent.Keys, agent.SecretHash = agent.Keys[shown:shown+1], ""
	t.putCredentials(agent)
	return command.Result{}
}

// putCredentials writes a machine's record, and what leads to it.
func (t *tables) putCredentials(agent farm.Agent) {
	put(t, bucketAgents, agent.ID, agent)
	t.note(farm.EventMachine, "", agent.ID)
	if agent.SecretHash != "" {
		t.set(bucketAgentsByHash, agent.SecretHash, []byte(agent.ID))
	}
	for _, key := range agent.Keys {
		t.set(bucketAgentsByKey, key.SHA256, []byte(agent.ID))
	}
}

// dropCredentials removes what leads to a machine's record.
func (t *tables) dropCredentials(agent farm.Agent) {
	if agent.SecretHash != "" {
		t.remove(bucketAgentsByHash, agent.SecretHash)
	}
	for _, key := range agent.Keys {
		t.remove(bucketAgentsByKey, key.SHA256)
	}
}
