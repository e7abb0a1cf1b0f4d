package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"overcrank/farm"
)

// ServerName is the name of every coordinator in TLS, whatever its address: the farm's authority certifies it for
// coordinators only, so that addresses may change without new certificates.
const ServerName = "coordinator.overcrank.internal"

// Enrol requests an agent's own certificate.
type Enrol struct {
	Name      string         `json:"name"`
	Inventory farm.Inventory `json:"inventory"` // may lack fonts, effects and plug-ins: they follow over the agent's connection
	Request   []byte         `json:"request"`   // PKCS #10, DER, for the agent's key
}

// Enrolled answers a machine that has enrolled, or whose certificate was renewed.
type Enrolled struct {
	AgentID     string   `json:"agentId"`
	Certificate []byte   `json:"certificate,omitempty"` // DER
	Authority   []byte   `json:"authority,omitempty"`   // certificate of the farm's authority, DER
	GossipKey   []byte   `json:"gossipKey"`             // 32 bytes
	Cluster     string   `json:"cluster"`               // label of the gossip pool
	Gossip      []string `json:"gossip"`                // host:port of members to join
}

// Renew requests the certificate of the agent's next key.
type Renew struct {
	Request []byte `json:"request"` // as in Enrol
}

// Prove asks a farm to prove its identity to an agent that enrolled with an earlier release. Such an agent knows no
// authority but shares a secret with its farm.
type Prove struct {
	AgentID string `json:"agentId"`
	Nonce   []byte `json:"nonce"` // 16 to 64 bytes, never used before
}

// Proof answers Prove.
type Proof struct {
	Authority []byte `json:"authority"` // certificate of the farm's authority, DER
	MAC       []byte `json:"mac"`       // see ProofOf
}

// ProofOf binds an authority to an agent's secret. hash is the SHA-256 of the secret in hex, as the farm keeps it.
// Nobody who knows neither can compute the proof, and the proof reveals neither.
func ProofOf(hash string, nonce, authority []byte) []byte {
	mac := hmac.New(sha256.New, []byte(hash))
	for _, part := range [][]byte{[]byte("overcrank farm authority"), nonce, authority} {
		fmt.Fprintf(mac, "%d:", len(part))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// JoinToken is what an invitation gives a machine: a secret that works a limited number of times, and the fingerprint by
// which to recognise the farm.
type JoinToken struct {
	Secret    string
	Authority string // fingerprint of the farm's authority: SHA-256 of its public key, in hex
}

// ParseJoinToken reads what JoinToken.String wrote. The error does not repeat the token.
func ParseJoinToken(text string) (JoinToken, error) {
	secret, authority, ok := parseToken("ocj_", text)
	if !ok {
		return JoinToken{}, fmt.Errorf("this is not a join token: those begin with ocj_ and have two parts separated by a dot; copy it whole, as overcrank agents invite printed it")
	}
	return JoinToken{Secret: secret, Authority: authority}, nil
}

// Fingerprint identifies a public key: the SHA-256 of its form in certificates (SubjectPublicKeyInfo, DER), in hex.
func Fingerprint(publicKey []byte) string {
	sum := sha256.Sum256(publicKey)
	return hex.EncodeToString(sum[:])
}

// String is the token as people pass it on.
func (t JoinToken) String() string { return t.Secret + "." + t.Authority }
