package identity

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"overcrank/durable"
)

// CredentialFile is the name of the file of a credential, which only the agent's user can read.
const CredentialFile = "credential.json"

// Credential is who this machine is, in memory and on disk. It is safe for concurrent use.
type Credential struct {
	path string

	// Damaged is why the file could not be read, nil for no damage. It does not change.
	Damaged error

	mu   sync.Mutex
	self Identity
}

// Now is who this machine is at present.
func (c *Credential) Now() Identity {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.self
}

// Keep makes self who this machine is, from now on and after a restart.
func (c *Credential) Keep(self Identity) error {
	if err := durable.WriteJSON(c.path, self, 0o600); err != nil {
		return fmt.Errorf("keeping this machine's credential: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.self = self
	return nil
}

// Forget deletes what the machine kept of its enrolment.
func (c *Credential) Forget() error {
	if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting this machine's credential: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.self = Identity{}
	return nil
}

// ReadCredential reads who the machine of a folder is; nobody when it has not enrolled, or when what it kept is damaged.
func ReadCredential(dir string) (*Credential, error) {
	c := &Credential{path: filepath.Join(dir, CredentialFile)}
	err := durable.ReadJSON(c.path, &c.self)
	damaged := (*durable.DamagedError)(nil)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil && !errors.As(err, &damaged) {
		return nil, fmt.Errorf("reading this machine's credential: %w", err)
	}
	if err == nil && c.self.Certified() {
		_, err = c.self.TLS()
	}
	if err != nil {
		c.self, c.Damaged = Identity{}, fmt.Errorf("%s is damaged: %w", c.path, err)
	}
	return c, nil
}

// Enrolled tells whether the farm has let this machine in, so that it needs no join token.
func (c *Credential) Enrolled() bool {
	self := c.Now()
	return self.Certified() || self.Secret != ""
}
