package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"overcrank/durable"
	"overcrank/farm/wire"
)

// Install makes an authority that the studio issued the farm's, in the folder dir. The files hold its certificate and its key (PEM). It
// must be able to issue certificates to coordinators and agents. It may replace an authority with the same key, as after a renewal;
// another key is an error, since no enrolled machine would know the farm any more.
func Install(dir, certificatePath, keyPath string, now time.Time) error {
	a, err := readIssued(certificatePath, keyPath)
	if err != nil {
		return err
	}
	if err := a.vouch(now); err != nil {
		return fmt.Errorf("%s cannot be the farm's authority: %w", certificatePath, err)
	}
	der, err := readPEM(filepath.Join(dir, KeyFile))
	if err == nil {
		kept, err := parseKey(der)
		if err != nil {
			return fmt.Errorf("%s is damaged: %w; put it back from a backup", filepath.Join(dir, KeyFile), err)
		}
		if public, ok := kept.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(a.key.Public()) {
			return fmt.Errorf("the farm in %s has another authority than %s, by which its machines know it: leave out --ca-cert and --ca-key, "+
				"or move %s and %s away from that folder of every coordinator and let every machine enrol again (docs/security.md, Another authority)",
				dir, certificatePath, KeyFile, CertificateFile)
		}
		return a.keepCertificate(dir)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	a.fresh = true
	return a.Keep(dir)
}

// readIssued reads a certificate and its key.
func readIssued(certificatePath, keyPath string) (*Authority, error) {
	der, err := readPEM(certificatePath)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%s holds no certificate: %w", certificatePath, err)
	}
	if der, err = readPEM(keyPath); err != nil {
		return nil, err
	}
	key, err := parseAnyKey(der)
	if err != nil {
		return nil, fmt.Errorf("%s holds no key that can be read: %w; it has to be without a passphrase", keyPath, err)
	}
	if public, ok := certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); !ok || !public.Equal(key.Public()) {
		return nil, fmt.Errorf("%s is not the key of %s", keyPath, certificatePath)
	}
	return &Authority{key: key, certificate: certificate}, nil
}

// parseAnyKey parses a private key as PKCS #8, SEC 1 or PKCS #1.
func parseAnyKey(der []byte) (crypto.Signer, error) {
	key, err := parseKey(der)
	if err == nil {
		return key, nil
	}
	if ec, err := x509.ParseECPrivateKey(der); err == nil {
		return ec, nil
	}
	if rsa, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return rsa, nil
	}
	return nil, err
}

// vouch issues sample certificates and verifies them: an authority can be restricted in many ways.
func (a *Authority) vouch(now time.Time) error {
	switch {
	case !a.certificate.IsCA || !a.certificate.BasicConstraintsValid:
		return errors.New("it is the certificate of a machine, not that of an authority")
	case a.certificate.KeyUsage != 0 && a.certificate.KeyUsage&x509.KeyUsageCertSign == 0:
		return errors.New("it may not sign certificates")
	case !now.Before(a.certificate.NotAfter):
		return fmt.Errorf("it expired on %s", a.certificate.NotAfter.UTC().Format(time.DateOnly))
	case now.Before(a.certificate.NotBefore):
		return fmt.Errorf("it is not valid before %s; is the clock of this machine right?", a.certificate.NotBefore.UTC().Format(time.DateOnly))
	}
	server, err := a.Server([]string{wire.ServerName}, func() time.Time { return now }).Certificate()
	if err != nil {
		return err
	}
	if err := a.believed(server.Leaf, x509.ExtKeyUsageServerAuth, wire.ServerName, now); err != nil {
		return fmt.Errorf("it may not issue certificates to coordinators: %w", err)
	}
	trial, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("making a key: %w", err)
	}
	der, err := a.Agent(Request{key: trial.Public()}, "farm", "agent", now, now.Add(time.Hour))
	if err != nil {
		return err
	}
	agent, err := x509.ParseCertificate(der)
	if err != nil {
		return fmt.Errorf("reading a certificate: %w", err)
	}
	if err := a.believed(agent, x509.ExtKeyUsageClientAuth, "", now); err != nil {
		return fmt.Errorf("it may not issue certificates to agents: %w", err)
	}
	return nil
}

func (a *Authority) believed(leaf *x509.Certificate, usage x509.ExtKeyUsage, name string, now time.Time) error {
	_, err := leaf.Verify(x509.VerifyOptions{Roots: a.Pool(), CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage}, DNSName: name})
	return err
}

// Keep writes a new authority; only this user can read the key.
func (a *Authority) Keep(dir string) error {
	if !a.fresh {
		return nil
	}
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	if err != nil {
		return fmt.Errorf("keeping the key of the farm's authority: %w", err)
	}
	if err := durable.WriteFile(filepath.Join(dir, KeyFile), encode("PRIVATE KEY", key), 0o600); err != nil {
		return fmt.Errorf("keeping the key of the farm's authority: %w", err)
	}
	a.fresh = false
	return a.keepCertificate(dir)
}
