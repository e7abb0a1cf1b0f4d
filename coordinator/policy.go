package coordinator

import (
	"context"
	"fmt"
	"maps"

	"overcrank/farm"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

// Policy is how the farm shares its machines. Of the teams it shows the caller's own, and all to operators of the farm.
func (c *Coordinator) Policy(_ context.Context, p farm.Principal) (farm.Policy, error) {
	policy, err := c.policy()
	return policyFor(p, policy), err
}

func (c *Coordinator) policy() (policy farm.Policy, err error) {
	err = c.state.View(func(tx *raftstore.Tx) (err error) {
		policy, err = tx.Policy()
		return err
	})
	return policy, err
}

// policyFor is what a caller may see of the policy.
func policyFor(p farm.Principal, policy farm.Policy) farm.Policy {
	if !p.Can(farm.ActSteerFarm) {
		maps.DeleteFunc(policy.Teams, func(id string, _ farm.TeamPolicy) bool { return id != p.Team })
	}
	return policy
}

// PutPolicy replaces the farm's policy. CodeConflict when its Revision is not the one in force; CodeForbidden when the caller does
// not look after the farm.
func (c *Coordinator) PutPolicy(ctx context.Context, p farm.Principal, policy farm.Policy) (farm.Policy, error) {
	if err := p.May(farm.ActChangePolicy); err != nil {
		return farm.Policy{}, err
	}
	return c.savePolicy(ctx, p, policy)
}

// ChangePolicy lets an administrator of the farm change some of its policy. With a revision it is CodeConflict when that is not the
// one in force; without one the change is made to whichever is.
func (c *Coordinator) ChangePolicy(ctx context.Context, p farm.Principal, revision *int, change func(*farm.Policy)) (farm.Policy, error) {
	if err := p.May(farm.ActChangePolicy); err != nil {
		return farm.Policy{}, err
	}
	return c.changePolicy(ctx, p, func(policy *farm.Policy) error {
		if revision != nil {
			policy.Revision = *revision
		}
		change(policy)
		return nil
	})
}

// PauseFarm makes the farm begin nothing new, or lets it go on. What renders is not stopped.
func (c *Coordinator) PauseFarm(ctx context.Context, p farm.Principal, paused bool) (farm.Policy, error) {
	return c.steer(ctx, p, func(policy *farm.Policy) error {
		policy.Paused = paused
		return nil
	})
}

// ChangeLevels changes how levels are served: change is given each level's policy and gives what it is to be.
func (c *Coordinator) ChangeLevels(ctx context.Context, p farm.Principal, changes map[farm.Level]func(farm.LevelPolicy) farm.LevelPolicy) (farm.Policy, error) {
	return c.steer(ctx, p, func(policy *farm.Policy) error {
		if policy.Levels == nil {
			policy.Levels = map[farm.Level]farm.LevelPolicy{}
		}
		for level, change := range changes {
			policy.Levels[level] = change(policy.Levels[level])
		}
		return nil
	})
}

// PutLimit makes a limit, or replaces the one of that name. made says that there was none.
func (c *Coordinator) PutLimit(ctx context.Context, p farm.Principal, name string, limit farm.LimitPolicy) (made bool, err error) {
	_, err = c.steer(ctx, p, func(policy *farm.Policy) error {
		if policy.Limits == nil {
			policy.Limits = map[string]farm.LimitPolicy{}
		}
		_, there := policy.Limits[name]
		made = !there
		policy.Limits[name] = limit
		return nil
	})
	return made, err
}

// RemoveLimit ends a limit; CodeNotFound when there is none of that name. Jobs that name it are not held back by it any more.
func (c *Coordinator) RemoveLimit(ctx context.Context, p farm.Principal, name string) error {
	_, err := c.steer(ctx, p, func(policy *farm.Policy) error {
		if _, there := policy.Limits[name]; !there {
			return NoLimit(name)
		}
		delete(policy.Limits, name)
		return nil
	})
	return err
}

// NoLimit is the error about a limit that the farm does not have.
func NoLimit(name string) error {
	return farm.Errorf(farm.CodeNotFound, "there is no limit %q", name)
}

// steer changes the policy for an operator of the farm.
func (c *Coordinator) steer(ctx context.Context, p farm.Principal, change func(*farm.Policy) error) (farm.Policy, error) {
	if err := p.May(farm.ActSteerFarm); err != nil {
		return farm.Policy{}, err
	}
	return c.changePolicy(ctx, p, change)
}

// policyTries is how often a change is made again when another one came between.
const policyTries = 10

// changePolicy makes a change to the policy in force. When another change comes between, it is made to what that came to, unless it
// says of which revision it is.
func (c *Coordinator) changePolicy(ctx context.Context, p farm.Principal, change func(*farm.Policy) error) (farm.Policy, error) {
	for try := 1; ; try++ {
		policy, err := c.policy()
		if err != nil {
			return farm.Policy{}, err
		}
		read := policy.Revision
		if err := change(&policy); err != nil {
			return farm.Policy{}, err
		}
		saved, err := c.savePolicy(ctx, p, policy)
		if farm.CodeOf(err) != farm.CodeConflict || policy.Revision != read || try == policyTries {
			return saved, err
		}
	}
}

func (c *Coordinator) savePolicy(ctx context.Context, p farm.Principal, policy farm.Policy) (farm.Policy, error) {
	policy.At, policy.By = c.cfg.Now(), p.Name
	res, err := c.state.Apply(ctx, command.PutPolicy{Policy: policy})
	if err != nil {
		return farm.Policy{}, err
	}
	if res.Policy == nil {
		return farm.Policy{}, fmt.Errorf("the farm's policy was written and is not there")
	}
	c.log.Info("the farm's policy was changed", "revision", res.Policy.Revision, "paused", res.Policy.Paused, "by", p.Name)
	return policyFor(p, *res.Policy), nil
}
