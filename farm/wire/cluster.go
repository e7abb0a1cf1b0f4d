package wire

import (
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"time"
)

// PathNodeJoin takes a NodeJoin by POST and answers NodeKeys; bearer is the secret of a token for coordinators.
const PathNodeJoin = "/api/farm/v1/cluster/join"

// NodeJoin is what a machine says of itself that is to become a coordinator.
type NodeJoin struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Version string    `json:"version"`
	Level   int       `json:"level"` // highest level of commands that its program understands
	At      time.Time `json:"at"`    // by its clock
}

// NodeKeys is what makes a machine a coordinator of the farm. It holds all of the farm's secrets: it travels over a connection on
// which the farm has shown who it is, and is concealed wherever it is shown.
type NodeKeys struct {
	Farm    string            `json:"farm"`    // what the farm is called in its certificates
	Files   map[string][]byte `json:"files"`   // of the data folder, by name
	Members []string          `json:"members"` // host:port of the coordinators
}

// String conceals the keys.
func (NodeKeys) String() string { return "[redacted]" }

// GoString conceals the keys.
func (NodeKeys) GoString() string { return "[redacted]" }

// LogValue conceals the keys.
func (NodeKeys) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// NodeToken lets one machine become a coordinator: a secret that works once, and by what to know the farm.
type NodeToken struct {
	Secret    string
	Authority string // as in JoinToken
}

var nodeTokenForm = regexp.MustCompile(`^(occ_[0-9a-z]{20,200})\.([0-9a-f]{64})$`)

// ParseNodeToken reads what NodeToken.String wrote. The error does not repeat the token.
func ParseNodeToken(text string) (NodeToken, error) {
	parts := nodeTokenForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return NodeToken{}, errors.New("this is no token for coordinators: one begins with occ_ and has two parts with a dot between them; copy it whole, as overcrank cluster invite printed it")
	}
	return NodeToken{Secret: parts[1], Authority: parts[2]}, nil
}

// String is the token as people hand it on.
func (t NodeToken) String() string { return t.Secret + "." + t.Authority }
