package wire

import (
	"errors"
	"log/slog"
	"time"
)

// PathNodeJoin takes a NodeJoin by POST and answers NodeKeys; the bearer token is the secret of a NodeToken.
const PathNodeJoin = "/api/farm/v1/cluster/join"

// NodeJoin describes a machine that is to become a coordinator.
type NodeJoin struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Level   int       `json:"level"` // highest level of commands that its program understands
	At      time.Time `json:"at"`    // by its clock
}

// NodeKeys are the files that make a machine a coordinator of the farm: all of its secrets. They travel only over a
// connection on which the farm has proved its identity, and are concealed wherever they are shown.
type NodeKeys struct {
	Farm    string            `json:"farm"`    // the farm's name in its certificates
	Files   map[string][]byte `json:"files"`   // of the data folder, by name
	Members []string          `json:"members"` // host:port of the coordinators
}

// String conceals the keys.
func (NodeKeys) String() string { return "[redacted]" }

// GoString conceals the keys.
func (NodeKeys) GoString() string { return "[redacted]" }

// LogValue conceals the keys.
func (NodeKeys) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// NodeToken lets one machine become a coordinator: a secret that works once, and the fingerprint by which to recognise
// the farm.
type NodeToken struct {
	Secret    string
	Authority string // as in JoinToken
}

// ParseNodeToken reads what NodeToken.String wrote. The error does not repeat the token.
func ParseNodeToken(text string) (NodeToken, error) {
	secret, authority, ok := parseToken("occ_", text)
	if !ok {
		return NodeToken{}, errors.New("this is not a token for coordinators: those begin with occ_ and have two parts separated by a dot; copy it whole, as overcrank cluster invite printed it")
	}
	return NodeToken{Secret: secret, Authority: authority}, nil
}

// String is the token as people pass it on.
func (t NodeToken) String() string { return t.Secret + "." + t.Authority }
