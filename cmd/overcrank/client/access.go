package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Team owns records.
type Team struct {
	Raw       `json:"-"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Default   bool   `json:"default"` // the farm's first team, whose administrators are the farm's
	CreatedAt string `json:"createdAt"`
}

// IDAndName are what people name it by on the command line.
func (t Team) IDAndName() (id, name string) { return t.ID, t.Name }

// Access is a token of a program, or a person who signs in.
type Access struct {
	Raw        `json:"-"`
	ID         string      `json:"id"`
	Team       string      `json:"team"`
	Name       string      `json:"name"`
	Role       string      `json:"role"`
	Email      string      `json:"email"` // of a person, who may sign in with it
	CreatedAt  string      `json:"createdAt"`
	ExpiresAt  string      `json:"expiresAt"`
	LastUsedAt string      `json:"lastUsedAt"`
	Current    bool        `json:"current"` // the one that asks
	WaysIn     *WaysIn     `json:"waysIn"`  // of a person
	Secret     string      `json:"secret"`  // of a token, in the answer that makes it and never again
	SignIn     *SignInLink `json:"signIn"`  // of a person, in the answer that makes it
}

// IDAndName are what people name it by on the command line.
func (a Access) IDAndName() (id, name string) { return a.ID, a.Name }

// WaysIn are how a person can sign in.
type WaysIn struct {
	Password     bool     `json:"password"`
	Passkeys     int      `json:"passkeys"`
	SingleSignOn []string `json:"singleSignOn"` // issuers
}

// Passkey is a passkey of a person.
type Passkey struct {
	Raw        `json:"-"`
	ID         string `json:"id"`
	Name       string `json:"name"`
	Synced     bool   `json:"synced"` // copies of it may be on other devices of the person
	AddedAt    string `json:"addedAt"`
	LastUsedAt string `json:"lastUsedAt"`
}

// IDAndName are what people name it by on the command line.
func (k Passkey) IDAndName() (id, name string) { return k.ID, k.Name }

// SignInRules are who comes in by single sign-on.
type SignInRules struct {
	Raw         `json:"-"`
	Revision    int         `json:"revision"`
	LinkByEmail bool        `json:"linkByEmail"`
	Groups      []GroupRule `json:"groups"`
}

// GroupRule lets a group of the provider into a team.
type GroupRule struct {
	Group string `json:"group"`
	Team  string `json:"team"` // its id
	Role  string `json:"role"`
}

// SignInLink is an address that signs a browser in, once.
type SignInLink struct {
	Raw       `json:"-"`
	URL       string `json:"url"`
	ExpiresAt string `json:"expiresAt"`
}

// NewAccess asks for a token or a person.
type NewAccess struct {
	Name      string `json:"name"`
	Role      string `json:"role"`
	Email     string `json:"email,omitempty"`     // of a person
	ExpiresAt string `json:"expiresAt,omitempty"` // ISO 8601; "" means never
	Team      string `json:"team,omitempty"`      // "" means the caller's own
}

// PersonChange is what to change of a person; nil leaves as it is.
type PersonChange struct {
	Name  *string `json:"name,omitempty"`
	Role  *string `json:"role,omitempty"`
	Email *string `json:"email,omitempty"` // "" takes it away
	Team  *string `json:"team,omitempty"`  // id of the team that the person comes into
	Ends  *End    `json:"expiresAt,omitempty"`
}

// End is when access ends, as RFC 3339 has it; "" is never.
type End string

// MarshalJSON writes an end as the farm reads it: null for never.
func (e End) MarshalJSON() ([]byte, error) {
	if e == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(e))
}

// Session is a browser in which a person is signed in.
type Session struct {
	Raw        `json:"-"`
	ID         string `json:"id"`
	Browser    string `json:"browser"` // as it names itself
	Address    string `json:"address"`
	BegunAt    string `json:"begunAt"`
	LastUsedAt string `json:"lastUsedAt"`
	ExpiresAt  string `json:"expiresAt"`
}

// Me is who asks.
type Me struct {
	Raw       `json:"-"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Role      string `json:"role"`
	Person    bool   `json:"person"`
	FarmAdmin bool   `json:"farmAdmin"`
	ExpiresAt string `json:"expiresAt"`
	Team      Team   `json:"team"`
}

const (
	teamsPath  = "/api/farm/v1/teams"
	tokensPath = "/api/farm/v1/tokens"
	peoplePath = "/api/farm/v1/people"
	rulesPath  = "/api/farm/v1/sign-in-rules"
)

// Me tells who asks.
func (c *Client) Me(ctx context.Context) (Me, error) {
	return fetch[Me](ctx, c, http.MethodGet, "/api/farm/v1/me", nil, nil)
}

// Teams lists the teams that the caller may see.
func (c *Client) Teams(ctx context.Context) (List[Team], error) {
	return list[Team](ctx, c, teamsPath, nil)
}

// CreateTeam makes a team.
func (c *Client) CreateTeam(ctx context.Context, name string) (Team, error) {
	return fetch[Team](ctx, c, http.MethodPost, teamsPath, nil, map[string]string{"name": name})
}

// RenameTeam gives a team another name.
func (c *Client) RenameTeam(ctx context.Context, id, name string) (Team, error) {
	return fetch[Team](ctx, c, http.MethodPatch, teamsPath+at("/%s", id), nil, map[string]string{"name": name})
}

// DeleteTeam deletes a team with all that it owns.
func (c *Client) DeleteTeam(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, teamsPath+at("/%s", id))
}

// Tokens lists the tokens of a team, "" for the caller's own.
func (c *Client) Tokens(ctx context.Context, team string) (List[Access], error) {
	return list[Access](ctx, c, tokensPath, ofTeam(team))
}

// CreateToken makes a token.
func (c *Client) CreateToken(ctx context.Context, in NewAccess) (Access, error) {
	return fetchOnce[Access](ctx, c, tokensPath, in)
}

// RevokeToken ends a token, at once.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, tokensPath+at("/%s", id))
}

// People lists the people of a team, "" for the caller's own.
func (c *Client) People(ctx context.Context, team string) (List[Access], error) {
	return list[Access](ctx, c, peoplePath, ofTeam(team))
}

// CreatePerson adds a person.
func (c *Client) CreatePerson(ctx context.Context, in NewAccess) (Access, error) {
	return fetchOnce[Access](ctx, c, peoplePath, in)
}

// ChangePerson changes a person's name, role, e-mail address, end or team.
func (c *Client) ChangePerson(ctx context.Context, id string, change PersonChange) (Access, error) {
	return fetch[Access](ctx, c, http.MethodPatch, peoplePath+at("/%s", id), nil, change)
}

// ResetPassword makes a person's password useless and signs the person out everywhere.
func (c *Client) ResetPassword(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, peoplePath+at("/%s/password", id))
}

// Sessions lists the browsers in which a person is signed in.
func (c *Client) Sessions(ctx context.Context, id string) (List[Session], error) {
	return list[Session](ctx, c, peoplePath+at("/%s/sessions", id), nil)
}

// EndSessions signs a person out of one session, or everywhere when it is "".
func (c *Client) EndSessions(ctx context.Context, id, session string) error {
	var query url.Values
	if session != "" {
		query = url.Values{"session": {session}}
	}
	return c.answer(ctx, request{method: http.MethodDelete, path: peoplePath + at("/%s/sessions", id), query: query}, nil)
}

// Passkeys lists the passkeys of a person.
func (c *Client) Passkeys(ctx context.Context, id string) (List[Passkey], error) {
	return list[Passkey](ctx, c, peoplePath+at("/%s/passkeys", id), nil)
}

// RemovePasskey takes a passkey of a person away.
func (c *Client) RemovePasskey(ctx context.Context, id, passkey string) error {
	return c.do(ctx, http.MethodDelete, peoplePath+at("/%s/passkeys", id)+at("/%s", passkey))
}

// SignInRules are who comes in by single sign-on.
func (c *Client) SignInRules(ctx context.Context) (SignInRules, error) {
	return fetch[SignInRules](ctx, c, http.MethodGet, rulesPath, nil, nil)
}

// PutSignInRules says who comes in by single sign-on. The revision of rules is the one that was read; another in force is a conflict.
func (c *Client) PutSignInRules(ctx context.Context, rules SignInRules) (SignInRules, error) {
	return fetch[SignInRules](ctx, c, http.MethodPut, rulesPath, nil, rules)
}

// DeletePerson deletes a person: their links and sessions end at once.
func (c *Client) DeletePerson(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, peoplePath+at("/%s", id))
}

// PersonLink makes an address that signs a person's browser in, once.
func (c *Client) PersonLink(ctx context.Context, id string) (SignInLink, error) {
	return fetchOnce[SignInLink](ctx, c, peoplePath+at("/%s/sign-in-links", id), nil)
}

// SignInLink makes an address that signs a browser in as the caller, once.
func (c *Client) SignInLink(ctx context.Context) (string, error) {
	link, err := fetchOnce[SignInLink](ctx, c, "/api/farm/v1/sign-in-links", nil)
	return link.URL, err
}

func ofTeam(team string) url.Values {
	if team == "" {
		return nil
	}
	return url.Values{"team": {team}}
}
