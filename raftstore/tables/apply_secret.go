package tables

import (
	"overcrank/farm"
	"overcrank/raftstore/command"
)

func (t *tables) putSecret(c command.PutSecret) command.Result {
	secret := c.Secret
	if err := checkID("secret", secret.ID); err != nil {
		return refuse(err)
	}
	if err := checkID("secret's name", secret.Name); err != nil {
		return refuse(err)
	}
	switch {
	case secret.Key == "" || len(secret.Sealed) == 0:
		return refusef(farm.CodeInvalid, "secret '%s' is not sealed", secret.Name)
	case !t.has(bucketTeams, secret.Team):
		return refusef(farm.CodeNotFound, "team %q does not exist", secret.Team)
	case t.has(bucketSecrets, secret.ID):
		return refusef(farm.CodeConflict, "secret %s exists already", secret.ID)
	case t.has(bucketSecretsByName, secret.Team+sep+secret.Name):
		taken := farm.Errorf(farm.CodeConflict, "there is a secret named '%s' already; delete it first to give it another value", secret.Name)
		taken.ErrorCode = farm.SecretExists
		return refuse(taken)
	}
	put(t, bucketSecrets, secret.ID, secret)
	t.set(bucketSecretsByTeam, secret.Team+sep+secret.ID, nil)
	t.set(bucketSecretsByName, secret.Team+sep+secret.Name, []byte(secret.ID))
	return command.Result{SecretTags: len(secret.MachineTags) > 0}
}

func (t *tables) changeSecret(c command.ChangeSecret) command.Result {
	secret, ok := get[farm.Secret](t, bucketSecrets, c.ID)
	if !ok || secret.Team != c.Team {
		return refusef(farm.CodeNotFound, "secret %q does not exist", c.ID)
	}
	secret.MachineTags = c.MachineTags
	put(t, bucketSecrets, secret.ID, secret)
	return command.Result{SecretTags: true}
}

func (t *tables) deleteSecret(c command.DeleteSecret) command.Result {
	secret, ok := get[farm.Secret](t, bucketSecrets, c.ID)
	if !ok || secret.Team != c.Team {
		return refusef(farm.CodeNotFound, "secret %q does not exist", c.ID)
	}
	t.dropSecret(secret)
	return command.Result{SecretTags: len(secret.MachineTags) > 0}
}

// dropSecret forgets a secret.
func (t *tables) dropSecret(secret farm.Secret) {
	t.forgetUses(secret.Team, farm.UseSecret, secret.Name)
	t.remove(bucketSecrets, secret.ID)
	t.remove(bucketSecretsByTeam, secret.Team+sep+secret.ID)
	t.remove(bucketSecretsByName, secret.Team+sep+secret.Name)
}

func (t *tables) resealSecrets(c command.ResealSecrets) command.Result {
	for _, r := range c.Secrets {
		if r.Key == "" || len(r.Sealed) == 0 {
			return refusef(farm.CodeInvalid, "secret %s is not sealed", r.ID)
		}
	}
	for _, r := range c.Secrets {
		secret, ok := get[farm.Secret](t, bucketSecrets, r.ID)
		if ok && secret.Key == r.Was {
			secret.Key, secret.Sealed = r.Key, r.Sealed
			put(t, bucketSecrets, secret.ID, secret)
		}
	}
	return command.Result{}
}
