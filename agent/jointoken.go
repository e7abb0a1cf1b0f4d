package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"overcrank/durable"
)

// JoinTokenFile is the file in the data folder in which an installer leaves the join token, readable by the agent's account alone. The agent deletes it once
// the machine has joined.
const JoinTokenFile = "join-token"

// maxJoinToken bounds what is read of it, in bytes.
const maxJoinToken = 4096

// readJoinToken reads the token that an installer left, unless the settings have one.
func (c *Config) readJoinToken() error {
	if c.JoinToken != "" {
		return nil
	}
	path := filepath.Join(c.DataDir, JoinTokenFile)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file with a join token", path)
	}
	var text []byte
	if err == nil {
		text, err = durable.ReadSmall(path, maxJoinToken)
	}
	if err != nil {
		return fmt.Errorf("reading the join token: %w", err)
	}
	c.JoinToken = strings.TrimSpace(string(text))
	return nil
}

// joined deletes the token that an installer left, which the machine no longer needs, and notes that a machine that was installed owes its first frame.
func (a *agent) joined() {
	path := filepath.Join(a.cfg.DataDir, JoinTokenFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	a.oweFirstFrame()
	if err := os.Remove(path); err != nil {
		a.log.Warn("cannot delete the join token", "error", err)
	}
}
