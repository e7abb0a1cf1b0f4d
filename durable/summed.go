package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A DamagedError is a file that is not what was written there.
type DamagedError struct {
	Path string
	// Meant says what to do when somebody changed the file on purpose.
	Meant string
}

// Error names the file and the way out.
func (e *DamagedError) Error() string {
	return e.Path + " is damaged: it is not what was written there. Put it back from a backup; if it was changed on purpose, " + e.Meant
}

// SumSuffix ends the name of the file that says what WriteSummed has written.
const SumSuffix = ".sum"

// WriteSummed is WriteFile of content that ReadSummed recognises. Its hash lies in a file beside it, since earlier releases read nothing
// but the content itself. A process that is cut off leaves a file without one.
func WriteSummed(path string, content []byte, perm fs.FileMode) error {
	if err := os.Remove(path + SumSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := WriteFile(path, content, perm); err != nil {
		return err
	}
	return WriteFile(path+SumSuffix, sumLine(content), perm)
}

// ReadSummed reads what WriteSummed wrote, a *DamagedError when it is something else. A file that is not yet accompanied by its hash, or
// by one that is itself damaged, is taken as it is, and gets one.
func ReadSummed(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(path + SumSuffix)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err == nil && bytes.Equal(sum, sumLine(content)):
		return content, nil
	case err == nil && isSumLine(sum):
		return nil, &DamagedError{Path: path, Meant: "remove " + path + SumSuffix}
	}
	_ = WriteFile(path+SumSuffix, sumLine(content), 0o600) // on a disk that takes nothing the next start does it
	return content, nil
}

// sumLine is the hash of a content and, behind it, what shows that the hash is whole.
func sumLine(content []byte) []byte {
	sum := hexSum(content)
	return []byte(sum + " " + hexSum([]byte(sum))[:16] + "\n")
}

func isSumLine(line []byte) bool {
	const digits = 2 * sha256.Size
	return len(line) > digits && bytes.Equal(line[digits:], []byte(" "+hexSum(line[:digits])[:16]+"\n"))
}

func hexSum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// sumField begins the last field of a file that WriteJSON wrote.
const sumField = `"sum":"`

// WriteJSON is WriteFile of a value that is a JSON object, with its hash in a field sum. Earlier releases pass over that.
func WriteJSON(path string, value any, perm fs.FileMode) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if len(text) < 2 || text[0] != '{' {
		return fmt.Errorf("a %T is no JSON object", value)
	}
	comma := ","
	if len(text) == 2 {
		comma = ""
	}
	return WriteFile(path, []byte(string(text[:len(text)-1])+comma+sumField+hexSum(text)+"\"}\n"), perm)
}

// ReadJSON reads what WriteJSON wrote, a *DamagedError when it is something else. An object without a hash is taken as it is.
func ReadJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = bytes.TrimSpace(text)
	damaged := &DamagedError{Path: path, Meant: `take the field "sum" out of it`}
	if at := len(text) - len(sumField) - 2*sha256.Size - 2; at > 0 && bytes.HasPrefix(text[at:], []byte(sumField)) {
		plain := append(bytes.TrimSuffix(bytes.Clone(text[:at]), []byte(",")), '}')
		if !bytes.Equal(text[at:], []byte(sumField+hexSum(plain)+`"}`)) {
			return damaged
		}
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w (%w)", damaged, err)
	}
	return nil
}
