package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// NewSecret holds 256 random bits.
func NewSecret(prefix string) string {
	return prefix + strings.ToLower(rand.Text()+rand.Text())
}

// HashSecret is what is kept of a secret. A plain hash is enough for 256 random bits.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
