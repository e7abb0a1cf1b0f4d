package configfile

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// policies are the values of flags that administrators set on many machines by the means of the system, such as Windows' Group Policy. A flag on the
// command line counts more, the environment and the file count less.
type policies struct {
	place  string // where the system has them, for messages
	values map[string][]string
}

// policed is the command whose flags policies may set: there are many agents.
const policed = "agent"

// of is the value that the policies have for a flag, nil for none. A name that is no flag is one of a later version's.
func (p policies) of(flag *kong.Flag) (any, error) {
	text, set := p.values[flag.Name]
	if !set || len(Settable([]*kong.Flag{flag})) == 0 {
		return nil, nil
	}
	v, err := value{text: text}.of(flag)
	if err != nil {
		return nil, fmt.Errorf("the policy %s: %w", p.placeOf(flag), err)
	}
	return v, nil
}

// placeOf is where a flag's value stands.
func (p policies) placeOf(flag *kong.Flag) string { return p.place + `\` + flag.Name }

// PolicyStamp changes when the policies of this machine do.
func PolicyStamp() string {
	p, err := readPolicies()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(p.values) // in the order of the names
}
