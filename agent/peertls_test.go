package agent

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/http"
	"sync"
	"testing"
	"time"

	"overcrank/farm/wire"
)

// vouching is the authority of the farm that the peers of these tests play.
type vouching struct {
	key         *ecdsa.PrivateKey
	certificate *x509.Certificate
}

// theAuthority is of one farm, whose coordinators all peers are.
var theAuthority = sync.OnceValues(newAuthority)

func newAuthority() (*vouching, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	v := &vouching{key: key}
	der, err := v.sign(&x509.Certificate{IsCA: true, BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour)}, key.Public())
	if err != nil {
		return nil, err
	}
	v.certificate, err = x509.ParseCertificate(der)
	return v, err
}

func (v *vouching) sign(template *x509.Certificate, key any) ([]byte, error) {
	template.SerialNumber = big.NewInt(1)
	parent := v.certificate
	if parent == nil {
		parent = template
	}
	return x509.CreateCertificate(rand.Reader, template, parent, key, v.key)
}

// config is how a coordinator of the farm speaks TLS.
func (v *vouching) config(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := v.sign(&x509.Certificate{DNSNames: []string{wire.ServerName}, NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(v.certificate)
	return &tls.Config{
		MinVersion: tls.VersionTLS13, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der, v.certificate.Raw}, PrivateKey: key}},
	}
}

func authorityOf(t *testing.T) *vouching {
	t.Helper()
	v, err := theAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// joinToken is one that every peer takes.
func joinToken(t *testing.T) string {
	t.Helper()
	return authorityOf(t).joinToken()
}

func (v *vouching) joinToken() string {
	return wire.JoinToken{Secret: "ocj_goodgoodgoodgoodgoodgood", Authority: wire.Fingerprint(v.certificate.RawSubjectPublicKeyInfo)}.String()
}

func (p *peer) enrol(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bearers = append(p.bearers, r.Header.Get("Authorization"))
	if r.Header.Get("Authorization") != "Bearer ocj_goodgoodgoodgoodgoodgood" || p.used {
		w.WriteHeader(http.StatusUnauthorized)
		p.reply(w, map[string]string{"error": "this join token has been used"})
		return
	}
	var in wire.Enrol
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
		p.t.Error(err)
	}
	p.enrolled++
	if p.deaf > 0 {
		p.deaf--
		w.WriteHeader(http.StatusBadGateway)
	}
	p.certify(w, in.Request)
}

// certify answers with a certificate for the key of a request. p.mu is held.
func (p *peer) certify(w http.ResponseWriter, request []byte) {
	csr, err := x509.ParseCertificateRequest(request)
	if err != nil {
		p.t.Error(err)
		return
	}
	p.keys = append(p.keys, wire.Fingerprint(csr.RawSubjectPublicKeyInfo))
	life := p.life
	if life == 0 {
		life = time.Hour
	}
	v := p.by
	der, err := v.sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: p.secret}, NotBefore: time.Now().Add(-max(p.age, time.Second)), NotAfter: time.Now().Add(life), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, csr.PublicKey)
	if err != nil {
		p.t.Error(err)
		return
	}
	p.reply(w, wire.Enrolled{AgentID: "a1", Certificate: der, Authority: v.certificate.Raw})
}

func (p *peer) renew(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(r.TLS.VerifiedChains) == 0 && r.Header.Get("Authorization") != "Bearer "+p.earlier {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var in wire.Renew
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		p.t.Error(err)
	}
	p.renewed++
	p.certify(w, in.Request)
}

func (p *peer) prove(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bearers = append(p.bearers, r.Header.Get("Authorization"))
	var in wire.Prove
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		p.t.Error(err)
	}
	hash := sha256.Sum256([]byte(p.earlier))
	authority := p.by.certificate.Raw
	p.reply(w, wire.Proof{Authority: authority, MAC: wire.ProofOf(hex.EncodeToString(hash[:]), in.Nonce, authority)})
}

func (p *peer) authorised(w http.ResponseWriter, r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.secret == "" || len(r.TLS.VerifiedChains) == 0 || r.TLS.PeerCertificates[0].Subject.CommonName != p.secret {
		if r.URL.Path == wire.PathSession {
			p.refused++
		}
		w.WriteHeader(http.StatusUnauthorized)
		p.reply(w, map[string]string{"error": "this machine was retired"})
		return false
	}
	return true
}
