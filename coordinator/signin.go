package coordinator

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
)

const (
	signInLife = 10 * time.Minute
	inviteLife = 24 * time.Hour // of a code that travels to somebody else
)

// SignIn is a code that signs a browser in once, at any node. It holds the id of the token that it stands for and when it runs
// out, with a signature: nothing is kept of it before it is used.
type SignIn struct {
	Code  string
	Until time.Time
}

// signInCode makes a code for a token.
func (c *Coordinator) signInCode(token string, life time.Duration) SignIn {
	until := c.cfg.Now().Add(life).Truncate(time.Second)
	body := token + "." + strconv.FormatInt(until.Unix(), 36) + "." + rand.Text()[:12]
	return SignIn{Code: body + "." + c.codeSignature(body), Until: until}
}

// readCode gives what a code stands for; "" when this farm did not make it.
func (c *Coordinator) readCode(code string) (token string, until time.Time) {
	end := strings.LastIndexByte(code, '.')
	if end < 0 || !hmac.Equal([]byte(code[end+1:]), []byte(c.codeSignature(code[:end]))) {
		return "", until
	}
	parts := strings.Split(code[:end], ".")
	if len(parts) != 3 {
		return "", until
	}
	seconds, err := strconv.ParseInt(parts[1], 36, 64)
	if err != nil {
		return "", until
	}
	return parts[0], time.Unix(seconds, 0)
}

func (c *Coordinator) codeSignature(body string) string {
	mac := hmac.New(sha256.New, c.keys.derive("sign-in codes", 32))
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:18])
}

// SignIn makes a code that signs a browser in as the caller.
func (c *Coordinator) SignIn(p farm.Principal) SignIn { return c.signInCode(p.TokenID, signInLife) }

// InvitePerson makes a code that signs a browser in as a person whom the caller looks after.
func (c *Coordinator) InvitePerson(ctx context.Context, p farm.Principal, id string) (SignIn, error) {
	person, err := c.Token(ctx, p, id, true)
	if err != nil {
		return SignIn{}, err
	}
	if !person.Usable(c.cfg.Now()) {
		return SignIn{}, farm.Errorf(farm.CodeConflict, "the access of %q has expired; give it a later end first", person.Name)
	}
	return c.signInCode(id, inviteLife), nil
}

// UseSignIn finds who a code stands for, once; CodeGone when it was used, has run out or its token has ended.
func (c *Coordinator) UseSignIn(ctx context.Context, code string) (farm.Principal, error) {
	gone := farm.Errorf(farm.CodeGone, "this sign-in link has been used or has run out; ask for another, or sign in with a token")
	token, until := c.readCode(code)
	if token == "" || !c.cfg.Now().Before(until) {
		return farm.Principal{}, gone
	}
	hash := sha256.Sum256([]byte(code))
	_, err := c.apply(ctx, raftstore.UseCode{Hash: hex.EncodeToString(hash[:]), Until: until, At: c.cfg.Now()})
	if farm.CodeOf(err) == farm.CodeGone {
		return farm.Principal{}, gone
	}
	if err != nil {
		return farm.Principal{}, err
	}
	p, err := c.PrincipalOf(ctx, token)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		return farm.Principal{}, gone
	}
	return p, err
}
