package farm

import (
	"slices"
	"time"
)

// Identity is how a provider of single sign-on knows a person. Issuer and Subject together are the person: a name or an e-mail address may
// pass to somebody else, a subject never does.
type Identity struct {
	Issuer   string
	Subject  string
	Token    string // of the person
	LinkedAt time.Time
	// LostAt is when the provider named no group of theirs any more that opens the farm, zero while one does. ExpiresAt is when their access
	// would have ended otherwise.
	LostAt    time.Time `json:",omitzero"`
	ExpiresAt time.Time `json:",omitzero"`
}

// GroupRule lets the members of a provider's group into a team.
type GroupRule struct {
	Group string // as the provider calls it
	Team  string
	Role  Role
}

// SignInRules say who may come in by single sign-on.
type SignInRules struct {
	Revision int // one more with each change
	Groups   []GroupRule
	// LinkByEmail lets somebody who comes for the first time be the person who has the same e-mail address, when the provider has verified it.
	LinkByEmail bool
	At          time.Time
	By          string // who changed them last
}

const (
	// MostGroupRules is how many groups may open the farm.
	MostGroupRules = 200
	// MostGroupName bounds the name of a group, in bytes.
	MostGroupName = 300
)

// Check says what is wrong with the rules, by field.
func (r SignInRules) Check() []FieldError {
	var wrong []FieldError
	if len(r.Groups) > MostGroupRules {
		wrong = append(wrong, Field("groups", "has room for %d groups", MostGroupRules))
	}
	for i, rule := range r.Groups {
		switch {
		case rule.Group == "" || len(rule.Group) > MostGroupName || rule.Group != oneLine(rule.Group, MostGroupName):
			wrong = append(wrong, Field("group", "needs 1 to %d characters on one line", MostGroupName))
		case !rule.Role.Known():
			wrong = append(wrong, Field("role", "has to be one of %v, not %q", Roles(), rule.Role))
		case slices.ContainsFunc(r.Groups[:i], func(o GroupRule) bool { return o.Group == rule.Group && o.Team == rule.Team }):
			wrong = append(wrong, Field("group", "has a rule for this team already"))
		}
	}
	return wrong
}

// For is the team and the role of somebody who is in some groups. The first rule that fits decides the team; of all rules that fit and are for
// that team, the one with the highest role counts. ok is false when none fits. there says which teams there are.
func (r SignInRules) For(groups []string, there func(team string) bool) (best GroupRule, ok bool) {
	for _, rule := range r.Groups {
		if !slices.Contains(groups, rule.Group) || !there(rule.Team) {
			continue
		}
		if !ok || rule.Team == best.Team && rule.Role.Allows(best.Role) {
			best, ok = rule, true
		}
	}
	return best, ok
}

// Passkey is a key pair of which a person's device or password manager has the private half.
type Passkey struct {
	ID         string // by which the farm finds it: the hash of Credential
	Token      string // of the person
	Name       string // that the person gave it
	Credential []byte // its id, chosen by the device
	Key        []byte // its public half, in COSE
	Domain     string // for which it is good
	Kind       string // AAGUID of the authenticator's model, hex
	Transports []string
	// Synced says that copies of it may be on other devices of the person; Signs is how often it has signed, as far as it counts.
	Synced  bool
	Backed  bool
	Signs   uint32
	AddedAt time.Time
	UsedAt  time.Time
}

// MostPasskeys is how many passkeys a person may have.
const MostPasskeys = 20
