package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"
)

// derivedFrom is the start of validity of derived authorities: before the first program that made one.
var derivedFrom = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Derive makes an authority from a secret of 32 bytes, byte for byte the same on every machine. So the nodes that begin a farm with one
// secret need not agree on an authority. Keep writes it.
func Derive(secret []byte, farm string) (*Authority, error) {
	key, err := derivedKey(secret)
	if err != nil {
		return nil, fmt.Errorf("deriving the farm's authority: %w", err)
	}
	number, err := hkdf.Key(sha256.New, secret, nil, "overcrank authority serial", 16)
	if err != nil {
		return nil, fmt.Errorf("deriving the farm's authority: %w", err)
	}
	number[0] = number[0]&0x7f | 0x40
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(number), Subject: pkix.Name{CommonName: "Overcrank farm " + farm},
		NotBefore: derivedFrom, NotAfter: derivedFrom.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	a := &Authority{key: key, fresh: true}
	// Without a source of randomness the signature is deterministic (RFC 6979).
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("deriving the farm's authority: %w", err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("deriving the farm's authority: %w", err)
	}
	return a, nil
}

// derivedKey derives a key: the first candidate that is valid on the curve, which is nearly always the very first.
func derivedKey(secret []byte) (*ecdsa.PrivateKey, error) {
	var last error
	for i := range 100 {
		candidate, err := hkdf.Key(sha256.New, secret, nil, fmt.Sprintf("overcrank authority key %d", i), 32)
		if err != nil {
			return nil, err
		}
		key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), candidate)
		if err == nil {
			return key, nil
		}
		last = err
	}
	return nil, last
}
