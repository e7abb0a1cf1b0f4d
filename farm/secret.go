package farm

import (
	"encoding/json"
	"log/slog"
	"slices"
	"time"
)

// Secret is a named value of a team that jobs refer to as ${secrets.NAME}. Only its sealed form is kept.
type Secret struct {
	ID        string    `json:"id"`
	Team      string    `json:"team"`
	Name      string    `json:"name"`
	Key       string    `json:"key"`    // names the farm's key that seals it; the keys are not in the replicated state
	Sealed    []byte    `json:"sealed"` // the value, encrypted and authenticated
	CreatedAt time.Time `json:"createdAt"`
	// MachineTags limit the value to machines to which the farm's people gave one of these tags. None means every
	// machine.
	MachineTags []string `json:"machineTags,omitempty"`
}

// GoesTo says whether a machine may get the secret's value. Tags that the machine reports itself do not count: whoever
// controls the machine could report any.
func (s Secret) GoesTo(a Agent) bool {
	return len(s.MachineTags) == 0 || slices.ContainsFunc(a.Tags, func(tag string) bool { return slices.Contains(s.MachineTags, tag) })
}

// Confidential is a value that no log, error, page or answer may show. Reveal is the only way to it.
type Confidential struct{ value string }

const concealed = "[redacted]"

// NewConfidential wraps a value.
func NewConfidential(value string) Confidential { return Confidential{value} }

// Reveal is the value itself.
func (c Confidential) Reveal() string { return c.value }

// String conceals the value.
func (c Confidential) String() string { return concealed }

// GoString conceals the value.
func (c Confidential) GoString() string { return concealed }

// LogValue conceals the value.
func (c Confidential) LogValue() slog.Value { return slog.StringValue(concealed) }

// MarshalJSON conceals the value.
func (c Confidential) MarshalJSON() ([]byte, error) { return json.Marshal(concealed) }
