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

// A DamagedError is the error of a file whose content does not match its checksum.
type DamagedError struct {
	Path string
	// IfIntended says what to do when somebody changed the file on purpose.
	IfIntended string
}

func (e *DamagedError) Error() string {
	return e.Path + " is damaged: it is not what was written there. Put it back from a backup; if it was changed on purpose, " + e.IfIntended
}

// SumSuffix is the suffix of the file that holds the checksum of a file written by WriteSummed.
const SumSuffix = ".sum"

// WriteSummed is WriteFile with a checksum, which ReadSummed verifies. The checksum is in a file of its own, because earlier releases
// take the whole file as its content. A process that is killed in between leaves the file without a checksum.
func WriteSummed(path string, content []byte, perm fs.FileMode) error {
	if err := os.Remove(path + SumSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := WriteFile(path, content, perm); err != nil {
		return err
	}
	return WriteFile(path+SumSuffix, sumLine(content), perm)
}

// ReadSummed reads a file and verifies its checksum. The error is a *DamagedError when they do not match. A file whose checksum is missing
// or itself damaged is accepted, and gets a new checksum.
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
		return nil, &DamagedError{Path: path, IfIntended: "remove " + path + SumSuffix}
	}
	_ = WriteFile(path+SumSuffix, sumLine(content), 0o600) // if the disk cannot be written, the next start tries again
	return content, nil
}

// sumLine is the SHA-256 of content in hex, followed by a check value of the hash itself.
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

// sumField is the beginning of the last field of a file written by WriteJSON.
const sumField = `"sum":"`

// WriteJSON is WriteFile for a value that is encoded as a JSON object. The field "sum" holds the checksum; earlier releases ignore it.
func WriteJSON(path string, value any, perm fs.FileMode) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if len(text) < 2 || text[0] != '{' {
		return fmt.Errorf("a %T is not a JSON object", value)
	}
	comma := ","
	if len(text) == 2 {
		comma = ""
	}
	return WriteFile(path, []byte(string(text[:len(text)-1])+comma+sumField+hexSum(text)+"\"}\n"), perm)
}

// ReadJSON reads a file written by WriteJSON and verifies its checksum. The error is a *DamagedError when they do not match. An object
// without a checksum is accepted.
func ReadJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text = bytes.TrimSpace(text)
	damaged := &DamagedError{Path: path, IfIntended: `take the field "sum" out of it`}
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
