package api

import (
	"github.com/gofiber/fiber/v2"

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
	ctx, done := s.call(c)
	defer done()
	policy, err := s.farm.Policy(ctx, p)
	if err != nil {
		return err
	}
	return ok(c, shape(policy))
}

func (s *server) getLimit(c *fiber.Ctx, p farm.Principal) error {
	name := c.Params("name")
	ctx, done := s.call(c)
	defer done()
	policy, err := s.farm.Policy(ctx, p)
	if err != nil {
		return err
	}
	limit, there := policy.Limits[name]
	if !there {
		return coordinator.NoLimit(name)
	}
	return ok(c, limitShape(limit))
}

func (s *server) putPolicy(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	change, err := decodePolicy(body, true)
	if err != nil {
		return err
	}
	policy := farm.Policy{Revision: *change.revision}
	change.change(&policy)
	ctx, done := s.call(c)
	defer done()
	saved, err := s.farm.PutPolicy(ctx, p, policy)
	if err != nil {
		return err
	}
	return ok(c, policyShape(saved))
}

func (s *server) patchPolicy(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	change, err := decodePolicy(body, false)
	if err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	saved, err := s.farm.ChangePolicy(ctx, p, change.revision, change.change)
	if err != nil {
		return err
	}
	return ok(c, policyShape(saved))
}

func (s *server) patchLevels(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return err
	}
	levels := readLevels(o)
	if err := wrong.err(); err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	saved, err := s.farm.ChangeLevels(ctx, p, levels)
	if err != nil {
		return err
	}
	return ok(c, levelsShape(saved))
}

func (s *server) putLimit(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	wrong := &problems{}
	name := c.Params("name")
	if !farm.LimitName(name) {
		wrong.add("name", "is no name for a limit: it begins with a letter or digit, and has up to 64 letters, digits, dots, dashes and underscores")
	}
	o, err := readObject(body, wrong)
	if err != nil {
		return err
	}
	limit := readLimit(o)
	if err := wrong.err(); err != nil {
		return err
	}
	ctx, done := s.call(c)
	defer done()
	fresh, err := s.farm.PutLimit(ctx, p, name, limit)
	if err != nil {
		return err
	}
	if fresh {
		return created(c, limitShape(limit))
	}
	return ok(c, limitShape(limit))
}

func (s *server) removeLimit(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	if err := s.farm.RemoveLimit(ctx, p, c.Params("name")); err != nil {
		return err
	}
	c.Status(fiber.StatusNoContent)
	return nil
}
