package workstation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"overcrank/agent"
	"overcrank/durable"
	"overcrank/launcher"
)

// maxRollback limits the file of what was there before, in bytes.
const maxRollback = 1 << 20

// before is what configure replaces, so that an installation that fails leaves no trace.
type before struct {
	settings string  // the path of the settings file
	Settings *string `json:"settings"` // its text; nil where there was none
	Token    string  `json:"token"`    // the path of the file of the join token
	token    []byte  // which is kept in memory only, since it is a secret; nil where there was none
}

// lookBefore reads what configure is about to replace.
func lookBefore(settings, token string) (*before, error) {
	b := &before{settings: settings, Token: token}
	text, err := os.ReadFile(settings)
	switch {
	case err == nil:
		whole := string(text)
		b.Settings = &whole
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	b.token, err = durable.ReadSmall(token, maxInvitation)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the join token: %w", err)
	}
	return b, nil
}

// restore puts back what was there.
func (b *before) restore() error {
	if b == nil {
		return nil
	}
	var settings, token error
	if b.Settings != nil {
		settings = writeSettingsFile(b.settings, *b.Settings)
	} else {
		settings = removeIfThere(b.settings)
	}
	if b.token != nil {
		token = writeJoinToken(b.Token, string(b.token))
	} else {
		token = removeIfThere(b.Token)
	}
	if err := errors.Join(settings, token); err != nil {
		return fmt.Errorf("putting back the settings of before: %w", err)
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rollbackFile is where keep writes, beside the settings file.
func rollbackFile(settings string) string { return settings + ".before" }

// keep writes what was there before for a later roll back. The join token is not part of it: one that is written now is removed then.
func (b *before) keep(settings string) error {
	if b == nil {
		return nil
	}
	text, err := json.Marshal(b)
	if err == nil {
		err = durable.WriteFile(rollbackFile(settings), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("keeping the settings of before: %w", err)
	}
	return nil
}

// rollBack undoes what configure did in an installation that failed afterwards.
func rollBack(settings string) error {
	// An installer calls it with the system's rights, also when configure has refused what somebody else had put there.
	err := launcher.Trusted(rollbackFile(settings))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // configure itself failed, and has put everything back
	}
	var text []byte
	if err == nil {
		text, err = durable.ReadSmall(rollbackFile(settings), maxRollback)
	}
	b := &before{settings: settings}
	if err == nil {
		err = json.Unmarshal(text, b)
	}
	if err == nil && filepath.Base(b.Token) != agent.JoinTokenFile {
		err = fmt.Errorf("%q is not a file of a join token", b.Token)
	}
	if err != nil {
		return fmt.Errorf("reading the settings of before: %w", err)
	}
	return errors.Join(b.restore(), forget(settings))
}

// forget ends an installation that succeeded.
func forget(settings string) error { return removeIfThere(rollbackFile(settings)) }
