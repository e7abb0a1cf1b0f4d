package agent

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"overcrank/agent/farmclient"
	"overcrank/agent/identity"
	"overcrank/durable"
	"overcrank/farm/wire"
	"overcrank/interval"
)

// errRefused means that the farm does not accept this machine's certificate or token.
var errRefused = errors.New("the farm does not let this machine in")

// joiningFile holds the key with which the machine asks to be let in, so that it can ask again with the same one when it did not hear the
// answer. Only the agent's user can read it.
const joiningFile = "joining.key"

// Enrolled tells whether the machine of a folder has enrolled, so that it needs no join token.
func Enrolled(dir string) (bool, error) {
	c, err := identity.ReadCredential(dir)
	return err == nil && c.Enrolled(), err
}

// enrol gives the machine a certificate to show: the one that it kept, one for the secret that an earlier release kept, or one for its join
// token.
func (a *agent) enrol(ctx context.Context) error {
	switch self := a.self.Now(); {
	case self.Certified():
		config, err := self.TLS()
		if err != nil {
			return err
		}
		a.farm.Identify(config)
		return nil
	case self.Secret != "":
		err := a.insist(ctx, a.certify)
		if errors.Is(err, errRefused) && a.cfg.JoinToken != "" {
			return a.enrolAnew(ctx)
		}
		return err
	case a.cfg.JoinToken == "" && a.self.Damaged != nil:
		return fmt.Errorf("%w; start the agent with a new join token (overcrank agents invite)", a.self.Damaged)
	case a.cfg.JoinToken == "":
		return errors.New("this machine has not enrolled: start the agent once with a join token (overcrank agents invite)")
	}
	return a.enrolAnew(ctx)
}

// insist calls try until the farm answers.
func (a *agent) insist(ctx context.Context, try func(context.Context) error) error {
	for pause := farmclient.NewBackoff(); ; {
		err := try(ctx)
		var status *farmclient.StatusError
		switch {
		case err == nil:
			return nil
		case errors.Is(err, identity.ErrStranger):
			if a.farm.TryNext() { // no address is that of the farm that was meant
				return err
			}
			if err := interval.Wait(ctx, farmclient.Soon()); err != nil {
				return err
			}
			continue
		case errors.As(err, &status) && (status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden):
			return fmt.Errorf("%w: %w", errRefused, err)
		case errors.As(err, &status) && status.Code < http.StatusInternalServerError && status.Code != http.StatusTooManyRequests:
			return fmt.Errorf("enrolling: %w", err)
		}
		a.link.troubled(err)
		asked, wait := a.farm.Address(), farmclient.Soon()
		if a.farm.TryNext() {
			wait = pause.Next()
		}
		a.log.Info("the farm cannot be reached yet", "coordinator", asked, "again", wait.Round(time.Millisecond), "error", err)
		if err := interval.Wait(ctx, wait); err != nil {
			return err
		}
	}
}

// enrolAnew asks the farm to let this machine in by its join token.
func (a *agent) enrolAnew(ctx context.Context) error {
	token, err := wire.ParseJoinToken(a.cfg.JoinToken)
	if err != nil {
		return err
	}
	path := filepath.Join(a.cfg.DataDir, joiningFile)
	key, err := joiningKey(path)
	if err != nil {
		return err
	}
	err = a.insist(ctx, func(ctx context.Context) error { return a.join(ctx, token, key) })
	if err != nil {
		return fmt.Errorf("enrolling with the join token: %w", err)
	}
	if err := os.Remove(path); err != nil {
		a.log.Warn("a key that is no longer needed stays on disk", "error", err)
	}
	return nil
}

func joiningKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, unreadable := x509.ParsePKCS8PrivateKey(key); unreadable == nil {
		return key, nil
	}
	if key, err = identity.NewKey(); err != nil {
		return nil, err
	}
	if err := durable.WriteFile(path, key, 0o600); err != nil {
		return nil, fmt.Errorf("keeping this machine's key: %w", err)
	}
	return key, nil
}

// join enrols with a token. Nothing of it is sent before the other side has shown that it is the farm that the token is of.
func (a *agent) join(ctx context.Context, token wire.JoinToken, key []byte) error {
	request, err := identity.Request(key)
	if err != nil {
		return err
	}
	// What may be long follows over the agent's connection: the farm asks for what it does not know.
	has := a.inventory.now().Inventory
	has.Fonts, has.Effects, has.Plugins = nil, nil, nil
	in := wire.Enrol{Name: a.cfg.Name, Inventory: has, Request: request}
	self := identity.Identity{Key: key}
	if err := a.farm.Once(ctx, identity.FirstContact(token.Authority), wire.PathEnrol, token.Secret, in, &self.Enrolled); err != nil {
		return err
	}
	if !identity.Vouches(self.Authority, token.Authority) {
		return fmt.Errorf("%w: it names another authority than the join token", identity.ErrStranger)
	}
	if err := a.become(self); err != nil {
		return err
	}
	a.log.Info("enrolled", "agent", self.AgentID)
	return nil
}

// certify turns the secret of an earlier release into a certificate, once the farm has proved that it is the one that gave it.
func (a *agent) certify(ctx context.Context) error {
	was := a.self.Now()
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce) // crypto/rand never fails: it ends the process instead
	var proof wire.Proof
	if err := a.farm.Once(ctx, identity.Stranger(), wire.PathProve, "", wire.Prove{AgentID: was.AgentID, Nonce: nonce}, &proof); err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(was.Secret))
	if !hmac.Equal(proof.MAC, wire.ProofOf(hex.EncodeToString(hash[:]), nonce, proof.Authority)) {
		return fmt.Errorf("%w: it does not know this machine's secret", identity.ErrStranger)
	}
	trusting, err := identity.Identity{Enrolled: wire.Enrolled{Authority: proof.Authority}}.TLS()
	if err != nil {
		return err
	}
	key, request, err := nextKey()
	if err != nil {
		return err
	}
	self := identity.Identity{Key: key}
	if err := a.farm.Once(ctx, trusting, wire.PathRenew, was.Secret, wire.Renew{Request: request}, &self.Enrolled); err != nil {
		return err
	}
	if err := a.become(self); err != nil {
		return err
	}
	a.log.Info("this machine has a certificate now", "agent", self.AgentID)
	return nil
}

// become makes self who this machine is, and shows it from now on.
func (a *agent) become(self identity.Identity) error {
	if !self.Certified() {
		return errors.New("the farm answered without a certificate")
	}
	config, err := self.TLS()
	if err != nil {
		return fmt.Errorf("the farm answered with a certificate that is of no use: %w", err)
	}
	if err := a.self.Keep(self); err != nil {
		return err
	}
	a.farm.Identify(config)
	return nil
}

func nextKey() (key, request []byte, err error) {
	if key, err = identity.NewKey(); err != nil {
		return nil, nil, err
	}
	request, err = identity.Request(key)
	return key, request, err
}
