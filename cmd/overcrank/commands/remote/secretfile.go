package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"overcrank/cmd/overcrank/terminal"
	"overcrank/durable"
)

// SecretFile are the flags of commands whose result is a secret.
type SecretFile struct {
	Out string `help:"New file for the secret, readable by this user alone; standard output when left out." placeholder:"FILE" type:"path"`
}

// Validate refuses a file that is there, or whose folder is not, before anything is made whose secret could then not be kept. The parser of the command line
// calls it.
func (s SecretFile) Validate() error {
	if s.Out == "" {
		return nil
	}
	if _, err := os.Lstat(s.Out); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = errors.New("it exists already: name a new file, or remove that one")
		}
		return fmt.Errorf("--out %s: %w", s.Out, err)
	}
	if err := durable.HasFolder(s.Out); err != nil {
		return fmt.Errorf("--out %s: %w", s.Out, err)
	}
	return nil
}

// Give hands a secret to its file, or to standard output.
func (s SecretFile) Give(out *terminal.Output, secret string) error {
	if s.Out == "" {
		out.Private()
		_, err := fmt.Fprintln(out, secret)
		return err
	}
	if err := durable.WriteFile(s.Out, []byte(secret+"\n"), 0o600); err != nil {
		return fmt.Errorf("the secret was made and is lost, since it could not be kept in %s: %w", s.Out, err)
	}
	out.Remark("Kept in %s, readable by this user alone.", s.Out)
	return nil
}

// GiveAnswer hands over a secret that stands in an answer of the farm: the answer as it came, or, where the secret is kept in a file, without it.
func (s SecretFile) GiveAnswer(out *terminal.Output, answer json.RawMessage, secret string) error {
	if s.Out == "" {
		out.Private()
		return out.Answer(answer)
	}
	if err := s.Give(out, secret); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(answer))
	dec.UseNumber()
	var values any
	if err := dec.Decode(&values); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	leaveOut(values, secret)
	return out.JSON(values)
}

// leaveOut takes the fields of objects away that hold a secret.
func leaveOut(values any, secret string) {
	switch values := values.(type) {
	case map[string]any:
		for key, value := range values {
			if value == secret {
				delete(values, key)
			} else {
				leaveOut(value, secret)
			}
		}
	case []any:
		for _, value := range values {
			leaveOut(value, secret)
		}
	}
}
