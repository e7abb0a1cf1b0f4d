// Package authority is the farm's certificate authority. It issues certificates to coordinators and agents, and to nobody else.
package authority

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"time"

	"overcrank/durable"
	"overcrank/farm/wire"
)

// Files of the data folder. Whoever has the key can impersonate any coordinator and any agent.
const (
	KeyFile         = "ca.key"
	CertificateFile = "ca.crt"
)

const (
	authorityLife = 20 * 365 * 24 * time.Hour
	// ServerLife is how long a coordinator's own certificate is valid. It is replaced when a third of that is left.
	ServerLife = 30 * 24 * time.Hour
)

// Authority signs certificates. It is safe for concurrent use.
type Authority struct {
	key         crypto.Signer
	certificate *x509.Certificate
	fresh       bool
}

// Load reads the authority from the folder. If the folder has none it creates one in memory, which Keep writes. farm is the name in its
// certificate.
func Load(dir, farm string, now time.Time) (*Authority, error) {
	keyPath, certificatePath := filepath.Join(dir, KeyFile), filepath.Join(dir, CertificateFile)
	der, err := readPEM(keyPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(certificatePath); err == nil {
			return nil, fmt.Errorf("%s is gone though %s is there: put it back from a backup; to begin with a new one, remove %s too, and invite every machine again",
				keyPath, CertificateFile, CertificateFile)
		}
		return create(farm, now)
	case err != nil:
		return nil, err
	}
	key, err := parseKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; put it back from a backup", keyPath, err)
	}
	a := &Authority{key: key}
	der, err = readPEM(certificatePath)
	if errors.Is(err, fs.ErrNotExist) {
		// Machines know the farm by the key; its certificate can be made again.
		if err := a.certify(farm, now); err != nil {
			return nil, err
		}
		return a, a.keepCertificate(dir)
	}
	if err != nil {
		return nil, err
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; put it back from a backup, or remove it to have it made again", certificatePath, err)
	}
	if public, ok := a.certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(key.Public()) || !a.certificate.IsCA {
		return nil, fmt.Errorf("%s is not an authority's certificate for the key in %s: put both back from the same backup", certificatePath, KeyFile)
	}
	if c := a.certificate; bytes.Equal(c.RawIssuer, c.RawSubject) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) != nil {
		return nil, fmt.Errorf("%s is damaged: its signature is wrong; put it back from a backup, or remove it to have it made again", certificatePath)
	}
	return a, nil
}

// create makes a new authority.
func create(farm string, now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the farm's authority: %w", err)
	}
	a := &Authority{key: key, fresh: true}
	return a, a.certify(farm, now)
}

// certify makes the authority's own certificate.
func (a *Authority) certify(farm string, now time.Time) error {
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "Overcrank farm " + farm},
		NotBefore: now.Add(-backdated(authorityLife)), NotAfter: now.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		return fmt.Errorf("making the farm's authority: %w", err)
	}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		return fmt.Errorf("making the farm's authority: %w", err)
	}
	return nil
}

// Fresh reports whether Load created a new authority, which Keep has to write.
func (a *Authority) Fresh() bool { return a.fresh }

func (a *Authority) keepCertificate(dir string) error {
	certificate := encode("CERTIFICATE", a.certificate.Raw)
	if err := durable.WriteFile(filepath.Join(dir, CertificateFile), certificate, 0o600); err != nil {
		return fmt.Errorf("keeping the certificate of the farm's authority: %w", err)
	}
	return nil
}

// Certificate is the authority's own certificate, in DER.
func (a *Authority) Certificate() []byte { return a.certificate.Raw }

// Fingerprint is the SHA-256 of the authority's public key, in hex: machines know the farm by it.
func (a *Authority) Fingerprint() string {
	return wire.Fingerprint(a.certificate.RawSubjectPublicKeyInfo)
}

// Pool holds the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// backdated is how long before its making a certificate begins to be good, for machines whose clocks are behind.
func backdated(life time.Duration) time.Duration { return min(life/90, 24*time.Hour) }

// serial is a random number of 127 bits (RFC 5280, 4.1.2.2 allows 159).
func serial() *big.Int {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // crypto/rand never fails: it ends the process instead
	b[0] = b[0]&0x7f | 0x40
	return new(big.Int).SetBytes(b)
}

func parseKey(der []byte) (crypto.Signer, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("a key of type %T cannot sign", key)
	}
	return signer, nil
}

// readPEM reads the first PEM block of a file, and checks its sum.
func readPEM(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the farm's authority: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s is damaged: it holds no PEM block; put it back from a backup", path)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if strings.HasPrefix(first, sumMark) && first != sumOf(block.Bytes) {
		return nil, &durable.DamagedError{Path: path, IfIntended: "remove its first line"}
	}
	return block.Bytes, nil
}

// sumMark begins the line in front of the PEM block with the hash of its content. Other programs ignore it.
const sumMark = "# sum "

func sumOf(der []byte) string {
	sum := sha256.Sum256(der)
	return sumMark + hex.EncodeToString(sum[:])
}

// encode encodes a PEM block, with its sum in front.
func encode(kind string, der []byte) []byte {
	return append([]byte(sumOf(der)+"\n"), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})...)
}

// Until is when the authority expires.
func (a *Authority) Until() time.Time { return a.certificate.NotAfter }
