package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"overcrank/farm"
)

// ServerName is the name by which agents ask for coordinators in TLS, wherever these are and whatever they are called:
// the farm's authority gives it to coordinators alone, so addresses may change and need no certificate of their own.
const ServerName = "coordinator.overcrank.internal"

// Enrol asks for an agent's own certificate.
type Enrol struct {
	Name      string         `json:"name"`
	Inventory farm.Inventory `json:"inventory"` // fonts, effects and plug-ins may be left out: they follow over the agent's connection
	Request   []byte         `json:"request"`   // PKCS #10, DER, of the key that the certificate is to be for
}

// Enrolled is what a machine is told that has enrolled, or whose certificate was renewed.
type Enrolled struct {
	AgentID     string   `json:"agentId"`
	Certificate []byte   `json:"certificate,omitempty"` // DER
	Authority   []byte   `json:"authority,omitempty"`   // certificate of the farm's authority, DER
	GossipKey   []byte   `json:"gossipKey"`             // 32 bytes
	Cluster     string   `json:"cluster"`               // label of the gossip pool
	Gossip      []string `json:"gossip"`                // host:port of members to join
}

// Renew asks for the certificate of the agent's next key.
type Renew struct {
	Request []byte `json:"request"` // as in Enrol
}

// Prove asks a farm to prove itself to an agent that enrolled with an earlier release, which knows no authority but has a
// secret in common with its farm.
type Prove struct {
	AgentID string `json:"agentId"`
	Nonce   []byte `json:"nonce"` // 16 to 64 bytes that were not used before
}

// Proof answers Prove.
type Proof struct {
	Authority []byte `json:"authority"` // certificate of the farm's authority, DER
	MAC       []byte `json:"mac"`       // see ProofOf
}

// ProofOf binds an authority to an agent's secret, of which hash is the SHA-256 in hex, as the farm keeps it: nobody who
// knows neither can make it, and it tells neither.
func ProofOf(hash string, nonce, authority []byte) []byte {
	mac := hmac.New(sha256.New, []byte(hash))
	for _, part := range [][]byte{[]byte("overcrank farm authority"), nonce, authority} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// JoinToken is what an invitation gives a machine: a secret that works so many times, and by what to know the farm.
type JoinToken struct {
	Secret    string
	Authority string // fingerprint of the farm's authority: SHA-256 of its public key, in hex
}

var joinTokenForm = regexp.MustCompile(`^(ocj_[0-9a-z]{20,200})\.([0-9a-f]{64})$`)

// ParseJoinToken reads what JoinToken.String wrote. The error does not repeat the token.
func ParseJoinToken(text string) (JoinToken, error) {
	parts := joinTokenForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return JoinToken{}, fmt.Errorf("this is no join token: one begins with ocj_ and has two parts with a dot between them; copy it whole, as overcrank agents invite printed it")
	}
	return JoinToken{Secret: parts[1], Authority: parts[2]}, nil
}

// Fingerprint is by what public keys are known: the SHA-256 of one as certificates hold it (SubjectPublicKeyInfo, DER), in hex.
func Fingerprint(publicKey []byte) string {
	sum := sha256.Sum256(publicKey)
	return hex.EncodeToString(sum[:])
}

// String is the token as people hand it on.
func (t JoinToken) String() string { return t.Secret + "." + t.Authority }
