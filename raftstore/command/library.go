package command

import "overcrank/farm"

// PutFont adds a font to its team's library; refused when the file name is taken there.
type PutFont struct{ Font farm.Font }

// DeleteFont removes a font; refused while jobs that have not ended use it.
type DeleteFont struct{ Team, ID string }

// PutSecret adds a secret; refused when its team has one of that name.
type PutSecret struct{ Secret farm.Secret }

// DeleteSecret removes a secret.
type DeleteSecret struct{ Team, ID string }

// ChangeSecret changes which machines get a secret, see farm.Secret.MachineTags.
type ChangeSecret struct {
	Team, ID    string
	MachineTags []string
}

// Resealed is a secret under another key. It counts only while the secret is still sealed with the key Was.
type Resealed struct {
	ID, Was, Key string
	Sealed       []byte
}

// ResealSecrets puts secrets under another key; each stands or is passed over on its own.
type ResealSecrets struct{ Secrets []Resealed }

func (DeleteFont) Needs() int    { return ClusterLevel }
func (DeleteSecret) Needs() int  { return ClusterLevel }
func (ResealSecrets) Needs() int { return ClusterLevel }

// Needs is higher for a copy under another name: older programs would not know what it is a copy of.
func (c PutFont) Needs() int {
	if c.Font.CopyOf != "" {
		return FontCopiesLevel
	}
	return ClusterLevel
}

// Needs is higher when the secret does not go to all machines: older programs would give it to any.
func (c PutSecret) Needs() int {
	if len(c.Secret.MachineTags) > 0 {
		return SecretTagsLevel
	}
	return ClusterLevel
}

func (ChangeSecret) Needs() int { return SecretTagsLevel }
