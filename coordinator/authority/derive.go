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

// derivedFrom is when certificates of derived authorities begin to be good: before the first program that made one.
var derivedFrom = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// Derive makes the authority that belongs to a secret of 32 bytes, byte for byte the same on every machine, so that the nodes
// of a new farm which were given one secret need not agree on an authority first. Keep keeps it.
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
	// Without a source of randomness the signature is that of RFC 6979, which depends on nothing but key and message.
	der, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("deriving the farm's authority: %w", err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("deriving the farm's authority: %w", err)
	}
	return a, nil
}

// derivedKey takes the first candidate that is a key of the curve, which is nearly always the first of all.
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
