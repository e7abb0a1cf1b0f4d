package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator"
	"overcrank/farm"
)

func (s *server) getPolicy(c *fiber.Ctx, p farm.Principal) error {
	return s.showPolicy(c, p, func(policy farm.Policy) any { return policyShape(policy) })
}

func (s *server) getLevels(c *fiber.Ctx, p farm.Principal) error {
	return s.showPolicy(c, p, func(policy farm.Policy) any { return levelsShape(policy) })
}

func (s *server) listLimits(c *fiber.Ctx, p farm.Principal) error {
	return s.showPolicy(c, p, func(policy farm.Policy) any { return policyShape(policy).Limits })
}

// showPolicy answers with a part of the policy in force.
func (s *server) showPolicy(c *fiber.Ctx, p farm.Principal, shape func(farm.Policy) any) error {
	ctx, done := request.Call(c)
	defer done()
	policy, err := s.farm.Policy(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, shape(policy))
}

func (s *server) getLimit(c *fiber.Ctx, p farm.Principal) error {
	name := c.Params("name")
	ctx, done := request.Call(c)
	defer done()
	policy, err := s.farm.Policy(ctx, p)
	if err != nil {
		return err
	}
	limit, there := policy.Limits[name]
	if !there {
		return coordinator.NoLimit(name)
	}
	return answer.OK(c, limitShape(limit))
}

func (s *server) putPolicy(c *fiber.Ctx, p farm.Principal) error {
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
	saved, err := s.farm.PutPolicy(ctx, p, policy)
	if err != nil {
		return err
	}
	return answer.OK(c, policyShape(saved))
}

func (s *server) patchPolicy(c *fiber.Ctx, p farm.Principal) error {
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
	saved, err := s.farm.ChangePolicy(ctx, p, change.revision, change.change)
	if err != nil {
		return err
	}
	return answer.OK(c, policyShape(saved))
}

func (s *server) patchLevels(c *fiber.Ctx, p farm.Principal) error {
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
	saved, err := s.farm.ChangeLevels(ctx, p, levels)
	if err != nil {
		return err
	}
	return answer.OK(c, levelsShape(saved))
}

func (s *server) putLimit(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wrong := &input.Problems{}
	name := c.Params("name")
	if !farm.LimitName(name) {
		wrong.Add("name", "is no name for a limit: it begins with a letter or digit, and has up to 64 letters, digits, dots, dashes and underscores")
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
	fresh, err := s.farm.PutLimit(ctx, p, name, limit)
	if err != nil {
		return err
	}
	if fresh {
		return answer.Created(c, limitShape(limit))
	}
	return answer.OK(c, limitShape(limit))
}

func (s *server) removeLimit(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := s.farm.RemoveLimit(ctx, p, c.Params("name")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}
