// Package notices tells people of what happens to their work: by e-mail and in chats. What they are to be told stands in the farm's state;
// the leader tells it, and tries again after pauses that grow.
package notices

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"overcrank/coordinator/delivery"
	"overcrank/coordinator/seal"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/raftstore"
)

// Config is what telling needs besides the state.
type Config struct {
	// Caller writes in chats; it asks only what the farm's policy allows.
	Caller *delivery.Caller
	// Mail sends e-mails; nil for a farm that sends none.
	Mail *Mailer
	// Teller says what messages say in the language of whom they are for; without one they are English.
	Teller Teller
	// Derive makes keys of the farm's key: what addresses of chats are sealed with, and what messages are named by.
	Derive func(purpose string, size int) []byte
	// PublicAddress begins the addresses of jobs.
	PublicAddress func() string
	Logger        *slog.Logger
}

// Notices tells people. Its methods may be called at the same time.
type Notices struct {
	state *state.State
	cfg   Config
	box   *seal.Box
	tests *lru.Cache[string, *rate.Limiter] // by token
}

const (
	// testsAtOnce is how many test messages somebody may have sent at once; another one is possible after each testPause.
	testsAtOnce = 5
	testPause   = 20 * time.Second
	// mostTesters is of how many people tests are counted; the one that tested longest ago is forgotten.
	mostTesters = 1000
)

// New makes them ready.
func New(s *state.State, cfg Config) (*Notices, error) {
	box, err := seal.NewBox(cfg.Derive("addresses of chats", 32))
	if err != nil {
		return nil, fmt.Errorf("the key of chats' addresses: %w", err)
	}
	tests, _ := lru.New[string, *rate.Limiter](mostTesters) // fails only for sizes below one
	return &Notices{state: s, cfg: cfg, box: box, tests: tests}, nil
}

// addressee is somebody who is told of things.
type addressee struct {
	farm.Token
	settings farm.NoticeSettings
	reads    farm.Language
}

// addressee is the holder of a token.
func (n *Notices) addressee(tx *raftstore.Tx, token string) (who addressee, err error) {
	if who.Token, err = tx.Token(token); err != nil {
		return who, err
	}
	if who.settings, err = tx.NoticeSettings(who.Token); err != nil {
		return who, err
	}
	personal, err := tx.Personal(token)
	who.reads = personal.Reads()
	return who, err
}

// send tells somebody by one way, once, in their language. The error says why that failed, without any secret.
func (n *Notices) send(ctx context.Context, who addressee, way farm.NoticeWay, m message) error {
	if n.cfg.Teller != nil {
		m.voice = voice{teller: n.cfg.Teller, language: who.reads}
	}
	if way == farm.ByMail {
		return n.mail(ctx, who.Token, m)
	}
	return n.chat(ctx, who.settings, m)
}
