package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
)

// signInRulesBody are who comes in by single sign-on.
type signInRulesBody struct {
	Revision    int             `json:"revision"`
	At          answer.Time     `json:"at"`
	By          *string         `json:"by"`
	LinkByEmail bool            `json:"linkByEmail"`
	Groups      []groupRuleBody `json:"groups"`
}

// groupRuleBody lets a group into a team.
type groupRuleBody struct {
	Group string `json:"group"`
	Team  string `json:"team"`
	Role  string `json:"role"`
}

func signInRulesShape(r farm.SignInRules) signInRulesBody {
	return signInRulesBody{
		Revision: r.Revision, At: answer.Time(r.At), By: answer.OrNull(r.By), LinkByEmail: r.LinkByEmail,
		Groups: answer.Each(r.Groups, func(g farm.GroupRule) groupRuleBody {
			return groupRuleBody{Group: g.Group, Team: g.Team, Role: string(g.Role)}
		}),
	}
}

func (h peopleHandlers) getSignInRules(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	rules, err := h.people.SignInRules(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, signInRulesShape(rules))
}

func (h peopleHandlers) putSignInRules(c *fiber.Ctx, p farm.Principal) error {
	rules, err := input.Body(c, decodeSignInRules)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if err := h.people.PutSignInRules(ctx, p, rules); err != nil {
		return err
	}
	saved, err := h.people.SignInRules(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, signInRulesShape(saved))
}

// decodeSignInRules reads all rules, with the revision from which they were changed.
func decodeSignInRules(body []byte) (rules farm.SignInRules, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return rules, err
	}
	o.Only("revision", "linkByEmail", "groups", "at", "by")
	if o.Need("revision") {
		rules.Revision, _ = o.Whole("revision", 0, 1<<31-1)
	}
	rules.LinkByEmail = o.Flag("linkByEmail")
	if o.Need("groups") {
		o.Objects(o.List("groups"), "rules of groups", func(g input.Object) {
			g.Only("group", "team", "role")
			rule := farm.GroupRule{Group: g.NeedText("group", farm.MostGroupName), Team: g.NeedText("team", input.NameLimit)}
			if g.Need("role") {
				rule.Role = readRole(g)
			}
			rules.Groups = append(rules.Groups, rule)
		})
	}
	return rules, wrong.Err()
}
