package xar

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	cms "github.com/github/smimesign/ietf-cms"
)

// ErrUnsigned is returned by Verify for an archive without a signature.
var ErrUnsigned = errors.New("the archive is not signed")

// ErrSignature is wrapped by errors about a signature that does not hold.
var ErrSignature = errors.New("the archive's signature is not valid")

// Signer signs an archive as Apple's productsign does: an RSA signature of the table of contents, and beside it the same as CMS with the
// time of a timestamp authority, which notarization asks for.
type Signer struct {
	Key   crypto.Signer       // an RSA key
	Chain []*x509.Certificate // the key's certificate first, then those that signed the one before
	// TimestampServer is the address of an RFC 3161 authority; "" leaves the time out.
	TimestampServer string
}

// cmsRoom is kept in the heap for the CMS signature, whose length is known only once it is made: the certificates, and for the rest (the
// signature, the attributes, and an authority's answer with certificates of its own) this much.
const cmsRoom = 16 << 10

type signature struct {
	Style  string  `xml:"style,attr"`
	Offset int64   `xml:"offset"`
	Size   int64   `xml:"size"`
	Key    keyInfo `xml:"http://www.w3.org/2000/09/xmldsig# KeyInfo"`
}

type keyInfo struct {
	Certificates []string `xml:"X509Data>X509Certificate"`
}

// reserve adds the signatures to the table of contents and moves the offset of what follows them in the heap.
func (s *Signer) reserve(t *toc, offset *int64) error {
	if len(s.Chain) == 0 {
		return errors.New("xar: there is no certificate to sign with")
	}
	public, isRSA := s.Key.Public().(*rsa.PublicKey)
	if certified, ok := s.Chain[0].PublicKey.(*rsa.PublicKey); !isRSA || !ok || !certified.Equal(public) {
		return fmt.Errorf("xar: the key must be an RSA key, and that of the certificate %q", s.Chain[0].Subject)
	}
	var info keyInfo
	room := int64(cmsRoom)
	for _, c := range s.Chain {
		info.Certificates = append(info.Certificates, base64.StdEncoding.EncodeToString(c.Raw))
		room += int64(len(c.Raw))
	}
	t.Signature = &signature{Style: "RSA", Offset: *offset, Size: int64(public.Size()), Key: info}
	*offset += t.Signature.Size
	t.XSignature = &signature{Style: "CMS", Offset: *offset, Size: room, Key: info}
	*offset += room
	return nil
}

// sign returns what belongs into the room that reserve has kept.
func (s *Signer) sign(digest []byte, t toc) ([]byte, error) {
	raw, err := s.Key.Sign(nil, digest, crypto.SHA1)
	if err != nil {
		return nil, fmt.Errorf("xar: sign: %w", err)
	}
	if int64(len(raw)) != t.Signature.Size {
		return nil, fmt.Errorf("xar: a signature of %d bytes instead of %d", len(raw), t.Signature.Size)
	}
	signed, err := cms.NewSignedData(digest)
	if err != nil {
		return nil, fmt.Errorf("xar: sign: %w", err)
	}
	if err := signed.Sign(s.Chain, s.Key); err != nil {
		return nil, fmt.Errorf("xar: sign: %w", err)
	}
	signed.Detached()
	if s.TimestampServer != "" {
		if err := signed.AddTimestamps(s.TimestampServer); err != nil {
			return nil, fmt.Errorf("xar: ask %s for the time of the signature: %w", s.TimestampServer, err)
		}
	}
	der, err := signed.ToDER()
	if err != nil {
		return nil, fmt.Errorf("xar: sign: %w", err)
	}
	if int64(len(der)) > t.XSignature.Size {
		return nil, fmt.Errorf("xar: a CMS signature of %d bytes; there is room for %d", len(der), t.XSignature.Size)
	}
	padding := make([]byte, t.XSignature.Size-int64(len(der)))
	return slices.Concat(raw, der, padding), nil
}

// Verify checks the archive's signatures and that their certificate leads to one of the roots, at the time of the call. It returns the chain
// that signed, the key's certificate first. CMS is nil for an archive that has only the older signature.
func (a *Archive) Verify(roots *x509.CertPool) (chain []*x509.Certificate, err error) {
	if a.toc.Signature == nil {
		return nil, ErrUnsigned
	}
	if chain, err = a.toc.Signature.Key.chain(); err != nil {
		return nil, err
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	for _, c := range chain[1:] {
		options.Intermediates.AddCert(c)
	}
	// Apple marks its own extensions, which say what a certificate may sign, as critical.
	leaf := *chain[0]
	leaf.UnhandledCriticalExtensions = nil
	if _, err := leaf.Verify(options); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	raw, err := a.part(heapPart{Offset: a.toc.Signature.Offset, Size: a.toc.Signature.Size})
	if err != nil {
		return nil, err
	}
	public, isRSA := leaf.PublicKey.(*rsa.PublicKey)
	if !isRSA || a.toc.Signature.Style != "RSA" {
		return nil, fmt.Errorf("%w: it is no RSA signature", ErrSignature)
	}
	if err := rsa.VerifyPKCS1v15(public, crypto.SHA1, a.digest, raw); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return chain, a.verifyCMS(options, chain[0])
}

func (a *Archive) verifyCMS(options x509.VerifyOptions, leaf *x509.Certificate) error {
	if a.toc.XSignature == nil {
		return nil
	}
	der, err := a.CMS()
	if err != nil {
		return err
	}
	signed, err := cms.ParseSignedData(der)
	if err != nil {
		return fmt.Errorf("%w: CMS: %w", ErrSignature, err)
	}
	chains, err := signed.VerifyDetached(a.digest, options)
	if err != nil {
		return fmt.Errorf("%w: CMS: %w", ErrSignature, err)
	}
	if len(chains) != 1 || len(chains[0]) == 0 || len(chains[0][0]) == 0 || !bytes.Equal(chains[0][0][0].Raw, leaf.Raw) {
		return fmt.Errorf("%w: CMS: somebody else's", ErrSignature)
	}
	return nil
}

// CMS is the archive's CMS signature in DER, without what pads it; nil without one.
func (a *Archive) CMS() ([]byte, error) {
	if a.toc.XSignature == nil {
		return nil, nil
	}
	padded, err := a.part(heapPart{Offset: a.toc.XSignature.Offset, Size: a.toc.XSignature.Size})
	if err != nil {
		return nil, err
	}
	return firstDER(padded)
}

// RSA is the archive's RSA signature, and Digest what it is of: the SHA-1 of the compressed table of contents.
func (a *Archive) RSA() ([]byte, error) {
	if a.toc.Signature == nil {
		return nil, ErrUnsigned
	}
	return a.part(heapPart{Offset: a.toc.Signature.Offset, Size: a.toc.Signature.Size})
}

// Digest is what the archive's signatures are of.
func (a *Archive) Digest() []byte { return slices.Clone(a.digest) }

func (k keyInfo) chain() ([]*x509.Certificate, error) {
	var chain []*x509.Certificate
	for _, text := range k.Certificates {
		der, err := base64.StdEncoding.DecodeString(withoutSpace(text))
		if err != nil {
			return nil, fmt.Errorf("%w: a certificate: %w", ErrSignature, err)
		}
		c, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, fmt.Errorf("%w: a certificate: %w", ErrSignature, err)
		}
		chain = append(chain, c)
	}
	if len(chain) == 0 {
		return nil, fmt.Errorf("%w: it names no certificate", ErrSignature)
	}
	return chain, nil
}

// firstDER returns the first value of DER bytes, without what follows it.
func firstDER(data []byte) ([]byte, error) {
	var value asn1.RawValue
	if _, err := asn1.Unmarshal(data, &value); err != nil {
		return nil, fmt.Errorf("%w: CMS: %w", ErrSignature, err)
	}
	return value.FullBytes, nil
}

// withoutSpace drops the line breaks with which Apple's tools write Base64.
func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }
