package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// NewSecret returns a prefix followed by 256 random bits.
func NewSecret(prefix string) string {
	return prefix + strings.ToLower(rand.Text()+rand.Text())
}

// HashSecret is the form in which a secret is stored. A plain hash is enough for 256 random bits.
func HashSecret(secret string) string {
	var room [128]byte // of a secret, and of its hash: every request comes here
	sum := sha256.Sum256(append(room[:0], secret...))
	return string(hex.AppendEncode(room[:0], sum[:]))
}
