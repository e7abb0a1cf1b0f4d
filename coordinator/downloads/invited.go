package downloads

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"overcrank/farm"
	"overcrank/farm/wire"
)

// Invited is a package together with an invitation. What it makes holds the invitation's token, so it goes only to whoever made the invitation.
type Invited struct {
	Package farm.Download
	Address string // of the farm, such as https://farm.example.com:8080
	Token   string // of the invitation, with the fingerprint of the farm's authority: a machine gives it to no other farm
}

var (
	hostForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$`)
	odd      = regexp.MustCompile(`[^A-Za-z0-9._+~-]`)
)

// Check tells why a package cannot be handed out with the invitation: the error has CodeInvalid.
func (i Invited) Check() error {
	_, wrong := wire.ParseJoinToken(i.Token)
	u, err := url.Parse(i.Address)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(i.Address, " '\"\\$`<>|&;") || wrong != nil {
		return farm.Invalid("the invitation is not complete", farm.Field("token", "has to be the token of an invitation, and the farm has to have an address"))
	}
	return nil
}

// address is the farm's address as agents take it, which speak TLS on every port of the farm.
func (i Invited) address() string {
	return "https://" + strings.TrimPrefix(strings.TrimPrefix(i.Address, "http://"), "https://")
}

// PlainName is a name for the package without the invitation: its own, with nothing that a command line could take for more than a name. A package that is
// called otherwise than 'make packages' calls it gets another one, since the scripts of a Linux package find it, and the invitation beside it, by its name.
func (i Invited) PlainName() string {
	name, ending := odd.ReplaceAllString(i.Package.File.Name, "_"), "."+i.Package.Format
	if !strings.HasPrefix(name, agentPackage) || !strings.HasSuffix(name, ending) || strings.Contains(name, "__") {
		return agentPackage + ending
	}
	return name
}

// Name is the package's name with the invitation in it, which 'overcrank agent configure --package' reads; "" when the farm's address cannot be part of a
// file's name.
func (i Invited) Name() string {
	u, err := url.Parse(i.address())
	if err != nil || !hostForm.MatchString(u.Hostname()) {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	return fmt.Sprintf("%s__%s_%s__%s.%s", agentPackage, u.Hostname(), port, i.Token, i.Package.Format)
}

// InvitationName is the name of the file that holds an invitation beside a package.
const InvitationName = "overcrank-invitation.json"

// File is the content of the invitation's file.
func (i Invited) File() []byte {
	text, err := json.Marshal(map[string]string{"server": i.address(), "join": i.Token})
	if err != nil {
		panic(err) // two texts
	}
	return append(text, '\n')
}
