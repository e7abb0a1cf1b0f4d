package coordinator

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"

	"overcrank/farm"
	"overcrank/raftstore"
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

// keepAuthority keeps the authority of a farm that had none, unless machines have certificates of one that is gone.
func (c *Coordinator) keepAuthority() error {
	if !c.authority.Fresh() {
		return nil
	}
	var agents []farm.Agent
	err := c.state.View(func(tx *raftstore.Tx) (err error) {
		agents, err = tx.Agents()
		return err
	})
	if err != nil {
		return err
	}
	for _, agent := range agents {
		if len(agent.Keys) > 0 {
			return errors.New("ca.key and ca.crt are gone from the data folder though machines have certificates of them: put both back from a backup; " +
				"if there is none, put in a new key (openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key) and invite every machine again")
		}
	}
	return c.authority.Keep(c.cfg.DataDir)
}
