package raftstore

import "overcrank/farm"

func (t *tables) putTeam(c PutTeam) Result {
	if err := checkID("team", c.Team.ID); err != nil {
		return refuse(err)
	}
	put(t, bucketTeams, c.Team.ID, c.Team)
	return Result{}
}

func (t *tables) putToken(c PutToken) Result {
	token := c.Token
	if err := checkID("token", token.ID); err != nil {
		return refuse(err)
	}
	switch {
	case !t.has(bucketTeams, token.Team):
		return refusef(farm.CodeNotFound, "team %q does not exist", token.Team)
	case !token.Role.Known():
		return refusef(farm.CodeInvalid, "role %q does not exist; a token is a viewer, artist, producer, operator or admin", token.Role)
	case token.Hash == "":
		return refusef(farm.CodeInvalid, "token %q has no secret", token.Name)
	case t.has(bucketTokens, token.ID):
		return refusef(farm.CodeConflict, "token %s exists already", token.ID)
	case t.has(bucketTokensByHash, token.Hash):
		return refusef(farm.CodeConflict, "another token has the same secret")
	}
	put(t, bucketTokens, token.ID, token)
	t.set(bucketTokensByHash, token.Hash, []byte(token.ID))
	return Result{}
}

// revokeToken keeps the time of the first revocation.
func (t *tables) revokeToken(c RevokeToken) Result {
	token, ok := get[farm.Token](t, bucketTokens, c.ID)
	if !ok {
		return refusef(farm.CodeNotFound, "token %q does not exist", c.ID)
	}
	if token.RevokedAt.IsZero() {
		token.RevokedAt = c.At
		put(t, bucketTokens, token.ID, token)
	}
	return Result{}
}
