package agents

import (
	"encoding/json"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm"
	"overcrank/farm/wire"
)

const enrolLimit = 1 << 20

// enrol gives a machine that has a join token a certificate of its own.
func (s *server) enrol(c *fiber.Ctx) error {
	if _, err := request.Certificate(c); err != nil {
		return err
	}
	token := request.Bearer(c)
	if token == "" {
		return farm.Errorf(farm.CodeUnauthorized, "enrolling needs the secret of a join token as bearer")
	}
	if err := s.machines.CheckJoinToken(token); err != nil {
		return s.strangers.Refuse(c, err) // before any of its body takes up memory
	}
	var in wire.Enrol
	if err := readMessage(c, enrolLimit, &in); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	enrolled, err := s.machines.Enrol(ctx, token, in)
	if err != nil {
		return s.strangers.Refuse(c, err)
	}
	return answer.Created(c, enrolled)
}

// renew gives an agent the certificate of its next key. One that enrolled with an earlier release shows its secret, once.
func (s *server) renew(c *fiber.Ctx) error {
	certificate, err := request.Certificate(c)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	var a farm.Agent
	if certificate != nil {
		a, err = s.machines.AuthenticateAgent(ctx, certificate)
	} else {
		a, err = s.machines.AuthenticateEarlierAgent(ctx, request.Bearer(c))
	}
	if err != nil {
		return s.strangers.Refuse(c, err)
	}
	var in wire.Renew
	if err := readMessage(c, enrolLimit, &in); err != nil {
		return err
	}
	enrolled, err := s.machines.Renew(ctx, a, in)
	if err != nil {
		return err
	}
	return answer.Created(c, enrolled)
}

// leave removes the machine from the farm that asks for it, as when the agent is uninstalled.
func (s *server) leave(c *fiber.Ctx, a farm.Agent) error {
	ctx, done := request.Call(c)
	defer done()
	if err := s.sessions.Leave(ctx, a); err != nil {
		return err
	}
	return answer.None(c)
}

// prove proves to an agent of an earlier release that this is its farm.
func (s *server) prove(c *fiber.Ctx) error {
	if _, err := request.Certificate(c); err != nil {
		return err
	}
	var in wire.Prove
	if err := readMessage(c, enrolLimit, &in); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	proof, err := s.machines.Prove(ctx, in)
	if err != nil {
		return s.strangers.Refuse(c, err)
	}
	return answer.OK(c, proof)
}

// readMessage reads a message of farm/wire from the body.
func readMessage(c *fiber.Ctx, limit int64, into any) error {
	body, err := request.ReadBody(c, limit)
	if err != nil {
		return err
	}
	if err := input.CheckJSON(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return farm.Errorf(farm.CodeInvalid, "the request cannot be read: %w", err)
	}
	return nil
}

// forAgent lets a request through to h when its connection shows the certificate of an agent.
func (s *server) forAgent(h func(c *fiber.Ctx, a farm.Agent) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		certificate, err := request.Certificate(c)
		if err != nil {
			return err
		}
		if certificate == nil {
			return farm.Errorf(farm.CodeUnauthorized, "this address is for enrolled agents, and the connection shows no agent's certificate")
		}
		ctx, done := request.Call(c)
		defer done()
		a, err := s.machines.AuthenticateAgent(ctx, certificate)
		if err != nil {
			return s.strangers.Refuse(c, err)
		}
		return h(c, a)
	}
}
