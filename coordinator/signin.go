package coordinator

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"

	"overcrank/farm"
)

const (
	signInLife = 10 * time.Minute
	inviteLife = 24 * time.Hour // of a code that travels to somebody else
	// mostCodes is how many codes of one token may wait to be used; the oldest gives way.
	mostCodes = 10
)

// SignIn is a code that signs a browser in once.
type SignIn struct {
	Code  string
	Until time.Time
}

// signIns are the codes that wait to be used, in the memory of the node that made them: a code that is lost is asked
// for again.
type signIns struct {
	mu    sync.Mutex
	codes map[[32]byte]signIn   // by the hash of the code
	of    map[string][][32]byte // the same, by token, the oldest first
}

type signIn struct {
	token string
	until time.Time
}

func newSignIns() *signIns {
	return &signIns{codes: map[[32]byte]signIn{}, of: map[string][][32]byte{}}
}

// make makes a code for a token.
func (s *signIns) make(token string, until time.Time) SignIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.of[token]
	if len(waiting) == mostCodes {
		delete(s.codes, waiting[0])
		waiting = append(waiting[:0:0], waiting[1:]...)
	}
	code := rand.Text()
	hash := sha256.Sum256([]byte(code))
	s.codes[hash] = signIn{token: token, until: until}
	s.of[token] = append(waiting, hash)
	return SignIn{Code: code, Until: until}
}

// use gives the token of a code, once; "" when there is none.
func (s *signIns) use(code string, now time.Time) (token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	hash := sha256.Sum256([]byte(code))
	found := s.codes[hash]
	if found.token == "" {
		return ""
	}
	s.forget(hash, found.token)
	if !now.Before(found.until) {
		return ""
	}
	return found.token
}

// sweep forgets the codes that have run out.
func (s *signIns) sweep(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, code := range s.codes {
		if !now.Before(code.until) {
			s.forget(hash, code.token)
		}
	}
}

func (s *signIns) forget(hash [32]byte, token string) {
	delete(s.codes, hash)
	var left [][32]byte
	for _, other := range s.of[token] {
		if other != hash {
			left = append(left, other)
		}
	}
	if s.of[token] = left; len(left) == 0 {
		delete(s.of, token)
	}
}

// SignIn makes a code that signs a browser in as the caller.
func (c *Coordinator) SignIn(p farm.Principal) SignIn {
	return c.signIns.make(p.TokenID, c.cfg.Now().Add(signInLife))
}

// InvitePerson makes a code that signs a browser in as a person whom the caller looks after.
func (c *Coordinator) InvitePerson(ctx context.Context, p farm.Principal, id string) (SignIn, error) {
	person, err := c.Token(ctx, p, id, true)
	if err != nil {
		return SignIn{}, err
	}
	now := c.cfg.Now()
	if !person.Usable(now) {
		return SignIn{}, farm.Errorf(farm.CodeConflict, "the access of %q has expired; give it a later end first", person.Name)
	}
	return c.signIns.make(id, now.Add(inviteLife)), nil
}

// UseSignIn finds who a code stands for, once; CodeGone when it was used, has run out or its token has ended.
func (c *Coordinator) UseSignIn(ctx context.Context, code string) (farm.Principal, error) {
	gone := farm.Errorf(farm.CodeGone, "this sign-in link has been used or has run out; ask for another, or sign in with a token")
	token := c.signIns.use(code, c.cfg.Now())
	if token == "" {
		return farm.Principal{}, gone
	}
	p, err := c.PrincipalOf(ctx, token)
	if farm.CodeOf(err) == farm.CodeUnauthorized {
		return farm.Principal{}, gone
	}
	return p, err
}
