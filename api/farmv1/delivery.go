package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/farm"
)

// deliveryBody tells how the webhook of a job stands.
type deliveryBody struct {
	ID        string      `json:"id"`
	Status    string      `json:"status"` // pending, delivered, failed
	Tries     int         `json:"tries"`  // made so far
	TriedAt   answer.Time `json:"triedAt"`
	NextTryAt answer.Time `json:"nextTryAt"`
	EndedAt   answer.Time `json:"endedAt"`
	Error     *string     `json:"error"` // of the last try
}

func deliveryShape(d farm.Delivery) deliveryBody {
	body := deliveryBody{
		ID: d.ID, Status: "pending", Tries: d.Tries, TriedAt: answer.Time(d.TriedAt), NextTryAt: answer.Time(d.Next), EndedAt: answer.Time(d.EndedAt), Error: answer.OrNull(d.Error),
	}
	if !d.EndedAt.IsZero() {
		body.Status = "delivered"
		if d.Error != "" {
			body.Status = "failed"
		}
	}
	return body
}

func (s *server) getDelivery(c *fiber.Ctx, p farm.Principal) error {
	d, err := s.farm.Webhooks().Delivery(p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, deliveryShape(d))
}

// redeliver calls a webhook once more whose delivery has ended.
func (s *server) redeliver(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	d, err := s.farm.Webhooks().Redeliver(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, deliveryShape(d))
}

// webhookKeyBody shows what receivers check signatures with.
type webhookKeyBody struct {
	Key string `json:"key"`
}

func (s *server) getWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	key, err := s.farm.Webhooks().Key(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, webhookKeyBody{key})
}

func (s *server) renewWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	key, err := s.farm.Webhooks().RenewKey(ctx, p)
	if err != nil {
		return err
	}
	return answer.Created(c, webhookKeyBody{key})
}
