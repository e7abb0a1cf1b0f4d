package farmv1

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/farm"
)

// Policies is what the interface asks of the farm about how it shares its machines.
type Policies interface {
	Policy(ctx context.Context, p farm.Principal) (farm.Policy, error)
	PutPolicy(ctx context.Context, p farm.Principal, policy farm.Policy) (farm.Policy, error)
	ChangePolicy(ctx context.Context, p farm.Principal, revision *int, change func(*farm.Policy)) (farm.Policy, error)
	ChangeLevels(ctx context.Context, p farm.Principal, changes map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy) (farm.Policy, error)
	PutLimit(ctx context.Context, p farm.Principal, name string, limit farm.LimitPolicy) (made bool, err error)
	RemoveLimit(ctx context.Context, p farm.Principal, name string) error
}

// policyHandlers answers for how the farm shares its machines.
type policyHandlers struct{ policy Policies }

func (h policyHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/policy", farm.ActView, h.getPolicy),
		route.Put(root+"/policy", farm.ActChangePolicy, h.putPolicy),
		route.Patch(root+"/policy", farm.ActChangePolicy, h.patchPolicy),
		route.Get(root+"/levels", farm.ActView, h.getLevels),
		route.Patch(root+"/levels", farm.ActSteerFarm, h.patchLevels),
		route.Get(root+"/limits", farm.ActView, h.listLimits),
		route.Get(root+"/limits/:name", farm.ActView, h.getLimit),
		route.Put(root+"/limits/:name", farm.ActSteerFarm, h.putLimit),
		route.Delete(root+"/limits/:name", farm.ActSteerFarm, h.removeLimit),
	}
}

func (h policyHandlers) getPolicy(c *fiber.Ctx, p farm.Principal) error {
	return h.showPolicy(c, p, func(policy farm.Policy) any { return policyShape(policy) })
}

func (h policyHandlers) getLevels(c *fiber.Ctx, p farm.Principal) error {
	return h.showPolicy(c, p, func(policy farm.Policy) any { return levelsShape(policy) })
}

func (h policyHandlers) listLimits(c *fiber.Ctx, p farm.Principal) error {
	return h.showPolicy(c, p, func(policy farm.Policy) any { return policyShape(policy).Limits })
}

// showPolicy answers with a part of the policy in force.
func (h policyHandlers) showPolicy(c *fiber.Ctx, p farm.Principal, shape func(farm.Policy) any) error {
	ctx, done := request.Call(c)
	defer done()
	policy, err := h.policy.Policy(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, shape(policy))
}

func (h policyHandlers) getLimit(c *fiber.Ctx, p farm.Principal) error {
	name := c.Params("name")
	ctx, done := request.Call(c)
	defer done()
	policy, err := h.policy.Policy(ctx, p)
	if err != nil {
		return err
	}
	limit, there := policy.Limits[name]
	if !there {
		return coordinator.NoLimit(name)
	}
	return answer.OK(c, limitShape(limit))
}

func (h policyHandlers) putPolicy(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	change, err := decodePolicy(body, true)
	if err != nil {
		return err
	}
	policy := farm.Policy{Revision: *change.revision}
	change.change(&policy)
	ctx, done := request.Call(c)
	defer done()
	saved, err := h.policy.PutPolicy(ctx, p, policy)
	if err != nil {
		return err
	}
	return answer.OK(c, policyShape(saved))
}

func (h policyHandlers) patchPolicy(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	change, err := decodePolicy(body, false)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	saved, err := h.policy.ChangePolicy(ctx, p, change.revision, change.change)
	if err != nil {
		return err
	}
	return answer.OK(c, policyShape(saved))
}

func (h policyHandlers) patchLevels(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return err
	}
	levels := readLevels(o)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	saved, err := h.policy.ChangeLevels(ctx, p, levels)
	if err != nil {
		return err
	}
	return answer.OK(c, levelsShape(saved))
}

func (h policyHandlers) putLimit(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wrong := &input.Problems{}
	name := c.Params("name")
	if !farm.LimitName(name) {
		wrong.Add("name", "is not a valid name for a limit: it has to begin with a letter or digit, and have up to 64 letters, digits, dots, dashes and underscores")
	}
	o, err := input.Read(body, wrong)
	if err != nil {
		return err
	}
	limit := readLimit(o)
	if err := wrong.Err(); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	fresh, err := h.policy.PutLimit(ctx, p, name, limit)
	if err != nil {
		return err
	}
	if fresh {
		return answer.Created(c, limitShape(limit))
	}
	return answer.OK(c, limitShape(limit))
}

func (h policyHandlers) removeLimit(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.policy.RemoveLimit(ctx, p, c.Params("name")); err != nil {
		return err
	}
	return answer.None(c)
}
