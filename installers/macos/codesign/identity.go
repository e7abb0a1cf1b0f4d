package codesign

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
	"regexp"

	"github.com/anchore/quill/quill/pki/apple"
	"github.com/anchore/quill/quill/pki/certchain"
	"software.sslmate.com/src/go-pkcs12"
)

// Identity is a key with the certificates that vouch for it, as the studio has it of Apple: "Developer ID Application" for programs,
// "Developer ID Installer" for packages.
type Identity struct {
	Key   crypto.Signer
	Chain []*x509.Certificate // the key's certificate first, then those that signed the one before
	// TimestampServer is the address of the RFC 3161 authority that says when something was signed, without which a signature
	// ends with its certificate. "" leaves the time out; notarization refuses that.
	TimestampServer string
}

// team is the form of a Team ID.
var team = regexp.MustCompile(`^[A-Z0-9]{10}$`)

// Team is the ten characters that Apple knows the studio by, "" for a certificate that has none.
func (i *Identity) Team() string {
	if i == nil || len(i.Chain[0].Subject.OrganizationalUnit) == 0 || !team.MatchString(i.Chain[0].Subject.OrganizationalUnit[0]) {
		return ""
	}
	return i.Chain[0].Subject.OrganizationalUnit[0]
}

// ReadIdentity reads a PKCS #12 file (.p12), as Keychain Access exports it. Apple's intermediate certificates may be missing in it.
func ReadIdentity(p12 []byte, password string) (*Identity, error) {
	key, leaf, others, err := pkcs12.DecodeChain(p12, password)
	if err != nil {
		return nil, fmt.Errorf("read the PKCS #12 file: %w", err)
	}
	signer, signs := key.(crypto.Signer)
	if !signs {
		return nil, errors.New("read the PKCS #12 file: its key cannot sign")
	}
	chain := order(leaf, others)
	if last := chain[len(chain)-1]; !bytes.Equal(last.RawSubject, last.RawIssuer) {
		// Not found is no error: a studio's own authority need not come with its root.
		known, err := certchain.Find(certchain.NewCollection().WithStores(apple.GetEmbeddedCertStore()), last)
		if err == nil {
			chain = order(leaf, append(others, known...))
		}
	}
	return &Identity{Key: signer, Chain: chain}, nil
}

// order returns the certificates from leaf upwards, leaving out those that do not lead up from it.
func order(leaf *x509.Certificate, others []*x509.Certificate) []*x509.Certificate {
	chain := []*x509.Certificate{leaf}
	for len(chain) <= len(others) {
		last := chain[len(chain)-1]
		if bytes.Equal(last.RawSubject, last.RawIssuer) {
			break
		}
		above := -1
		for i, c := range others {
			if bytes.Equal(c.RawSubject, last.RawIssuer) && last.CheckSignatureFrom(c) == nil {
				above = i
			}
		}
		if above < 0 {
			break
		}
		chain = append(chain, others[above])
	}
	return chain
}

// Roots is what signatures of the identity are verified against: the last certificate of its chain. Nil has none.
func (i *Identity) Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	if i != nil {
		pool.AddCert(i.Chain[len(i.Chain)-1])
	}
	return pool
}
