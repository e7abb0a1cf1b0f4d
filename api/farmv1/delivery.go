package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/delivery"
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

// webhookHandlers answers for the webhooks of jobs.
type webhookHandlers struct{ webhooks *delivery.Webhooks }

func (h webhookHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/jobs/:id/delivery", farm.ActView, h.getDelivery),
		route.Post(root+"/jobs/:id/delivery", farm.ActChangeJobs, h.redeliver),
		route.Get(root+"/webhook-key", farm.ActViewWebhookKey, h.getWebhookKey),
		route.Post(root+"/webhook-key", farm.ActRenewWebhookKey, h.renewWebhookKey),
	}
}

func (h webhookHandlers) getDelivery(c *fiber.Ctx, p farm.Principal) error {
	d, err := h.webhooks.Delivery(p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, deliveryShape(d))
}

// redeliver calls a webhook once more whose delivery has ended.
func (h webhookHandlers) redeliver(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	d, err := h.webhooks.Redeliver(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, deliveryShape(d))
}

// webhookKeyBody shows what receivers check signatures with.
type webhookKeyBody struct {
	Key string `json:"key"`
}

func (h webhookHandlers) getWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	key, err := h.webhooks.Key(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, webhookKeyBody{key})
}

func (h webhookHandlers) renewWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	key, err := h.webhooks.RenewKey(ctx, p)
	if err != nil {
		return err
	}
	return answer.Created(c, webhookKeyBody{key})
}
