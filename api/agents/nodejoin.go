package agents

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/farm/wire"
)

// joinCluster gives the farm's keys to a machine that shows a token for coordinators. The connection has to be TLS: the machine
// has made sure by it which farm this is.
func (s *server) joinCluster(c *fiber.Ctx) error {
	if _, err := request.Certificate(c); err != nil {
		return err
	}
	secret := request.Bearer(c)
	if err := s.cluster.CheckInvitation(secret); err != nil {
		return s.strangers.Refuse(c, err)
	}
	var in wire.NodeJoin
	if err := readMessage(c, input.JSONLimit, &in); err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	keys, err := s.cluster.GiveKeys(ctx, secret, in)
	if err != nil {
		return err
	}
	return answer.OK(c, keys)
}
