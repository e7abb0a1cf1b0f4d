package farmv1

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/people"
	"overcrank/farm"
)

// tokenBody is an API token, or the access of a person. The answer to its making also holds what opens the farm, once:
// Secret for a program, SignIn for a person.
type tokenBody struct {
	ID         string      `json:"id"`
	Team       string      `json:"team"`
	Name       string      `json:"name"`
	Email      string      `json:"email,omitempty"` // of a person
	Role       string      `json:"role"`
	CreatedAt  answer.Time `json:"createdAt"`
	ExpiresAt  answer.Time `json:"expiresAt"`
	LastUsedAt answer.Time `json:"lastUsedAt"`
	Current    bool        `json:"current"`          // it makes the request
	WaysIn     *waysInBody `json:"waysIn,omitempty"` // of a person
	Secret     string      `json:"secret,omitempty"`
	SignIn     *signInBody `json:"signIn,omitempty"`
}

// signInBody is an address that signs a browser in, once.
type signInBody struct {
	URL       string      `json:"url"`
	ExpiresIn int         `json:"expiresIn"` // seconds
	ExpiresAt answer.Time `json:"expiresAt"`
}

func tokenShape(t farm.Token, p farm.Principal) tokenBody {
	return tokenBody{
		ID: t.ID, Team: t.Team, Name: t.Name, Email: t.Email, Role: string(t.Role), CreatedAt: answer.Time(t.CreatedAt), ExpiresAt: answer.Time(t.ExpiresAt),
		LastUsedAt: answer.Time(t.LastUsedAt), Current: t.ID == p.TokenID,
	}
}

func signInShape(base string, in people.SignIn, now time.Time) *signInBody {
	left := int(in.Until.Sub(now).Round(time.Second).Seconds())
	return &signInBody{URL: base + "/sign-in/" + in.Code, ExpiresIn: left, ExpiresAt: answer.Time(in.Until)}
}

// holder says whom tokens are for. Programs and people are looked after in the same way at addresses of their own.
type holder bool

const (
	program holder = false
	person  holder = true
)

func (h peopleHandlers) listTokens(who holder) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		tokens, err := h.people.Tokens(ctx, p, c.Query("team"), bool(who))
		if err != nil {
			return err
		}
		out, err := h.shapes(ctx, p, who, tokens...)
		if err != nil {
			return err
		}
		return answer.OK(c, out)
	}
}

func (h peopleHandlers) getToken(who holder) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		token, err := h.people.Token(ctx, p, c.Params("id"), bool(who))
		if err != nil {
			return err
		}
		return h.answerToken(ctx, c, p, who, token)
	}
}

func (h peopleHandlers) makeToken(who holder) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		in, err := input.Body(c, decodeToken(who))
		if err != nil {
			return err
		}
		in.Person = bool(who)
		ctx, done := request.Call(c)
		defer done()
		token, secret, err := h.people.MakeToken(ctx, p, in)
		if err != nil {
			return err
		}
		shape := tokenShape(token, p)
		shape.Secret = secret
		if who == person {
			invitation, err := h.people.InvitePerson(ctx, p, token.ID)
			if err != nil {
				return err
			}
			shape.SignIn, shape.WaysIn = signInShape(h.address(), invitation, h.now()), &waysInBody{SingleSignOn: []string{}}
		}
		return answer.Created(c, shape)
	}
}

func (h peopleHandlers) changeToken(who holder) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		change, err := input.Body(c, decodeTokenChange(who))
		if err != nil {
			return err
		}
		ctx, done := request.Call(c)
		defer done()
		token, err := h.people.ChangeToken(ctx, p, c.Params("id"), bool(who), change)
		if err != nil {
			return err
		}
		return h.answerToken(ctx, c, p, who, token)
	}
}

func (h peopleHandlers) revokeToken(who holder) route.Handler {
	return func(c *fiber.Ctx, p farm.Principal) error {
		ctx, done := request.Call(c)
		defer done()
		if err := h.people.RevokeToken(ctx, p, c.Params("id"), bool(who)); err != nil {
			return err
		}
		return answer.None(c)
	}
}

// invite makes another address with which a person signs in. It travels to somebody else, so it begins with the farm's
// public address.
func (h peopleHandlers) invite(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	invitation, err := h.people.InvitePerson(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.Created(c, signInShape(h.address(), invitation, h.now()))
}

// makeSignIn makes an address that signs the caller's own browser in, where the caller reached the farm.
func (h peopleHandlers) makeSignIn(c *fiber.Ctx, p farm.Principal) error {
	return answer.Created(c, signInShape(c.BaseURL(), h.people.SignIn(p), h.now()))
}

func decodeToken(who holder) func([]byte) (people.NewToken, error) {
	return func(body []byte) (people.NewToken, error) {
		wrong := &input.Problems{}
		o, err := input.Read(body, wrong)
		if err != nil {
			return people.NewToken{}, err
		}
		o.Only(who.fields([]string{"email"}, "name", "role", "expiresAt", "team")...)
		in := people.NewToken{
			Team: o.Text("team", input.NameLimit), Name: strings.TrimSpace(o.NeedText("name", input.NameLimit)), ExpiresAt: input.Time(o, "expiresAt"),
			Email: o.Text("email", input.NameLimit),
		}
		if o.Need("role") {
			in.Role = readRole(o)
		}
		return in, wrong.Err()
	}
}

// fields are those that a body may have, with those that people have besides.
func (h holder) fields(ofPeople []string, names ...string) []string {
	if h == person {
		names = append(names, ofPeople...)
	}
	return names
}

// decodeTokenChange reads what is to be changed. An expiresAt or email of null takes it away.
func decodeTokenChange(who holder) func([]byte) (people.TokenChange, error) {
	return func(body []byte) (people.TokenChange, error) {
		wrong := &input.Problems{}
		o, err := input.Read(body, wrong)
		if err != nil {
			return people.TokenChange{}, err
		}
		o.Only(who.fields([]string{"email", "team"}, "name", "role", "expiresAt")...)
		var change people.TokenChange
		if o.Has("name") {
			name := strings.TrimSpace(o.NeedText("name", input.NameLimit))
			change.Name = &name
		}
		if o.Has("role") {
			role := readRole(o)
			change.Role = &role
		}
		if o.Raw("expiresAt") != nil {
			until := input.Time(o, "expiresAt")
			change.ExpiresAt = &until
		}
		if o.Raw("email") != nil {
			address := o.Text("email", input.NameLimit)
			change.Email = &address
		}
		if o.Has("team") {
			team := o.NeedText("team", input.NameLimit)
			change.Team = &team
		}
		return change, wrong.Err()
	}
}

func readRole(o input.Object) farm.Role {
	return farm.Role(o.Choice("role", roleNames()...))
}

func roleNames() []string {
	names := make([]string, 0, len(farm.Roles()))
	for _, role := range farm.Roles() {
		names = append(names, string(role))
	}
	return names
}
