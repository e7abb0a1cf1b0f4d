package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
)

// Box seals with one key, which the caller keeps. It is safe for concurrent use.
type Box struct{ aead cipher.AEAD }

// NewBox returns a Box for a key of 32 bytes.
func NewBox(key []byte) (*Box, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("preparing a key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("preparing a key: %w", err)
	}
	return &Box{aead}, nil
}

// Seal encrypts a value for an owner, a text that says what it belongs to. Open needs the same owner.
func (b *Box) Seal(owner string, value []byte) []byte {
	return b.aead.Seal(nil, nil, value, []byte(owner))
}

// Open decrypts a value of Seal. The error is ErrDamaged.
func (b *Box) Open(owner string, sealed []byte) ([]byte, error) {
	value, err := b.aead.Open(nil, nil, sealed, []byte(owner))
	if err != nil {
		return nil, ErrDamaged
	}
	return value, nil
}
