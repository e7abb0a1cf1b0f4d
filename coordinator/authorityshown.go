package coordinator

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"time"

	"overcrank/farm"
)

// AuthorityInfo is what the certificate of the farm's authority says.
type AuthorityInfo struct {
	Fingerprint         string // SHA-256 of its public key, in hex
	Subject, Issuer     string
	OwnRoot             bool // the farm founded it itself; false for one that the studio issued
	NotBefore, NotAfter time.Time
	PEM                 string // the certificate itself
}

// Authority tells of the farm's authority. It is for administrators of the farm.
func (c *Coordinator) Authority(_ context.Context, p farm.Principal) (AuthorityInfo, error) {
	if err := p.May(farm.ActManageCoordinators); err != nil {
		return AuthorityInfo{}, err
	}
	certificate, err := x509.ParseCertificate(c.authority.Certificate())
	if err != nil {
		return AuthorityInfo{}, err
	}
	return AuthorityInfo{
		Fingerprint: c.authority.Fingerprint(), Subject: certificate.Subject.String(), Issuer: certificate.Issuer.String(),
		OwnRoot: certificate.CheckSignatureFrom(certificate) == nil, NotBefore: certificate.NotBefore, NotAfter: certificate.NotAfter,
		PEM: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})),
	}, nil
}
