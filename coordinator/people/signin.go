package people

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/oklog/ulid/v2"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	signInLife = 10 * time.Minute
	inviteLife = 24 * time.Hour // of a code that travels to somebody else
)

// SignIn is a code that signs a browser in once, at any node. It holds the id of the token that it stands for and when it runs
// out, with a signature: nothing is kept of it before it is used. An invitation is signed with a key of its own: whoever uses it chooses a
// password.
type SignIn struct {
	Code  string
	Until time.Time
}

// A code is 16 bytes of the token's id, 5 of the second from which on it is not good, 6 random ones, and 16 of a signature over these,
// as text that is easily copied.
const (
	codeBody      = 16 + 5 + 6
	codeSignature = 16
)

var codeText = base32.StdEncoding.WithPadding(base32.NoPadding)

// What codes of each kind are signed with.
const (
	ownCode    = "sign-in codes"
	invitation = "invitations of people"
	setupCode  = "codes that set a farm up"
)

// signInCode makes a code of a kind for a token, or for the team that is set up.
func (d *Directory) signInCode(kind, subject string, life time.Duration) SignIn {
	until := d.state.Now().Add(life)
	id, err := ulid.ParseStrict(subject)
	if err != nil {
		return SignIn{Until: until} // tokens and teams have such ids
	}
	// The code counts in whole seconds, and so it may end by less than one early.
	code := binary.BigEndian.AppendUint64(id[:], uint64(until.Unix())<<24)[:codeBody-6]
	code = append(code, make([]byte, 6)...)
	_, _ = rand.Read(code[codeBody-6:]) // crypto/rand never fails: it ends the process instead
	return SignIn{Code: codeText.EncodeToString(append(code, d.signCode(kind, code)...)), Until: until}
}

// readCode gives what a code of one of some kinds stands for, and its kind; "" when this farm did not make it.
func (d *Directory) readCode(text string, kinds ...string) (subject string, until time.Time, kind string) {
	code, err := codeText.DecodeString(text)
	if err != nil || len(code) != codeBody+codeSignature {
		return "", until, ""
	}
	for _, k := range kinds {
		if hmac.Equal(code[codeBody:], d.signCode(k, code[:codeBody])) {
			kind = k
		}
	}
	if kind == "" {
		return "", until, ""
	}
	seconds := binary.BigEndian.Uint64(append([]byte{0, 0, 0}, code[16:21]...))
	return ulid.ULID(code[:16]).String(), time.Unix(int64(seconds), 0), kind
}

func (d *Directory) signCode(kind string, body []byte) []byte {
	mac := hmac.New(sha256.New, d.derive(kind, 32))
	mac.Write(body)
	return mac.Sum(nil)[:codeSignature]
}

// SignIn makes a code that signs a browser in as the caller.
func (d *Directory) SignIn(p farm.Principal) SignIn {
	return d.signInCode(ownCode, p.TokenID, signInLife)
}

// InvitePerson makes a code that signs a browser in as a person whom the caller looks after.
func (d *Directory) InvitePerson(ctx context.Context, p farm.Principal, id string) (SignIn, error) {
	if err := p.May(farm.ActManageTokens); err != nil {
		return SignIn{}, err
	}
	person, err := d.Token(ctx, p, id, true)
	if err != nil {
		return SignIn{}, err
	}
	if !person.Usable(d.state.Now()) {
		return SignIn{}, farm.Errorf(farm.CodeConflict, "the access of %q has expired; give it a later end first", person.Name)
	}
	return d.signInCode(invitation, id, inviteLife), nil
}

var errCodeGone = farm.Errorf(farm.CodeGone, "this sign-in link has been used or has run out; ask for another, or sign in with your password")

// LookAtSignIn finds who a code stands for without using it up, and whether whoever uses it chooses a password; CodeGone when it was
// used, has run out or its token has ended.
func (d *Directory) LookAtSignIn(ctx context.Context, code string) (p farm.Principal, chooses bool, err error) {
	token, until, kind := d.readCode(code, ownCode, invitation)
	if token == "" || !d.state.Now().Before(until) {
		return farm.Principal{}, false, errCodeGone
	}
	used, err := d.used(code, until)
	switch {
	case err != nil:
		return farm.Principal{}, false, err
	case used:
		return farm.Principal{}, false, errCodeGone
	}
	p, err = d.PrincipalOf(ctx, token)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		err = errCodeGone
	}
	return p, kind == invitation, err
}

// UseSignIn finds who a code stands for, once, and keeps the password that an invited person has chosen; their sessions end when they had
// another one before. Its errors are those of LookAtSignIn, and those of choosing a password, with which the code stays good.
func (d *Directory) UseSignIn(ctx context.Context, code, password string) (farm.Principal, error) {
	p, chooses, err := d.LookAtSignIn(ctx, code)
	if err != nil {
		return farm.Principal{}, err
	}
	var self farm.Token
	var was farm.Password
	if chooses {
		if self, err = d.Self(ctx, p); err != nil {
			return farm.Principal{}, err
		}
		if was, err = d.passwordOf(self.ID); err != nil {
			return farm.Principal{}, err
		}
	}
	_, until, _ := d.readCode(code, ownCode, invitation)
	use := command.UseCode{Hash: hashCode(code), Until: until, At: d.state.Now()}
	if chooses {
		err = d.setPassword(ctx, self, password, command.SetPassword{Was: was.Hash, Code: &use})
	} else {
		_, err = d.state.Apply(ctx, use)
	}
	if farm.CodeOf(err) == farm.CodeGone {
		return farm.Principal{}, errCodeGone
	}
	return p, err
}

// hashCode is what the state remembers of a code.
func hashCode(code string) string {
	hash := sha256.Sum256([]byte(code))
	return hex.EncodeToString(hash[:])
}

// used says whether a code has been used that is good until a time.
func (d *Directory) used(code string, until time.Time) (used bool, err error) {
	err = d.state.View(func(tx *raftstore.Tx) (err error) {
		used, err = tx.CodeUsed(hashCode(code), until)
		return err
	})
	return used, err
}
