package api

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// webhookHeaders is how many headers a webhook may name.
const webhookHeaders = 50

// reservedHeaders say how a request is framed and who sent it; a webhook cannot set them.
var reservedHeaders = []string{
	"connection", "content-encoding", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection",
	"te", "trailer", "transfer-encoding", "upgrade", "x-delivery-id", "x-signature",
}

func readWebhook(o object) *farm.Webhook {
	w, given := o.filled("webhook")
	if !given {
		return nil
	}
	out := &farm.Webhook{
		URL:    strings.TrimSpace(w.needText("url", addressLimit)),
		Method: w.choice("method", "GET", "POST", "PUT", "DELETE"),
		Custom: w.flag("custom"),
	}
	if out.URL != "" && !webAddress(out.URL) {
		w.problem("url", "has to be an http or https address")
	}
	out.Headers = readHeaders(w)
	if w.has("data") {
		out.Data = w.raw("data")
	}
	return out
}

// webAddress tells whether a program could ask an address of the web. What a reference to a secret stands for is not known yet.
func webAddress(address string) bool {
	if strings.ContainsFunc(address, unicode.IsControl) {
		return false
	}
	if strings.Contains(address, "${secrets.") {
		return hasScheme(address, "http", "https") || strings.HasPrefix(address, "${secrets.")
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// readHeaders reads the headers of a webhook: plain names and values, none of those that frame the request.
func readHeaders(w object) map[string]string {
	headers, isObject := w.child("headers")
	if !isObject {
		return nil
	}
	if len(headers.fields) > webhookHeaders {
		w.problem("headers", "names %d headers; %d are allowed", len(headers.fields), webhookHeaders)
		return nil
	}
	names := make([]string, 0, len(headers.fields))
	for _, header := range headers.fields {
		names = append(names, string(header.key))
	}
	slices.Sort(names)
	out := make(map[string]string, len(names))
	seen := map[string]bool{}
	for _, name := range names {
		lower := strings.ToLower(name)
		var value string
		switch kindOf(headers.raw(name)) {
		case kindNull:
			continue
		case kindNumber, kindBool: // the public contract takes any value
			value = string(bytes.TrimSpace(headers.raw(name)))
		default:
			value = headers.text(name, addressLimit)
		}
		switch {
		case name == "" || strings.ContainsFunc(name, notInHeaderName):
			headers.problem(name, "is no name of a header")
		case slices.Contains(reservedHeaders, lower):
			headers.problem(name, "is set by the farm and cannot be given")
		case seen[lower]:
			headers.problem(name, "is given twice, in different case")
		case strings.ContainsFunc(value, notInHeaderValue):
			headers.problem(name, "holds a character that a header cannot have, such as the end of a line")
		}
		seen[lower] = true
		out[name] = value
	}
	return out
}

// notInHeaderName tells what a token of RFC 9110, 5.6.2, does not hold.
func notInHeaderName(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

func notInHeaderValue(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// DescribeJob is a job as GET /jobs/{id} shows it, its result at address, with data under "data" when there is some. It is
// the body of a webhook.
func DescribeJob(job farm.Job, address string, data json.RawMessage) ([]byte, error) {
	body, err := encode(struct {
		jobBody
		Data json.RawMessage `json:"data,omitempty"`
	}{jobShape(job, address, false), data})
	return bytes.TrimSuffix(body, []byte("\n")), err
}

// deliveryBody tells how the webhook of a job stands.
type deliveryBody struct {
	ID        string  `json:"id"`
	Status    string  `json:"status"` // pending, delivered, failed
	Tries     int     `json:"tries"`  // made so far
	TriedAt   stamp   `json:"triedAt"`
	NextTryAt stamp   `json:"nextTryAt"`
	EndedAt   stamp   `json:"endedAt"`
	Error     *string `json:"error"` // of the last try
}

func deliveryShape(d farm.Delivery) deliveryBody {
	body := deliveryBody{
		ID: d.ID, Status: "pending", Tries: d.Tries, TriedAt: stamp(d.TriedAt), NextTryAt: stamp(d.Next), EndedAt: stamp(d.EndedAt), Error: orNull(d.Error),
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
	return ok(c, deliveryShape(d))
}

// redeliver calls a webhook once more whose delivery has ended.
func (s *server) redeliver(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	d, err := s.farm.Webhooks().Redeliver(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return ok(c, deliveryShape(d))
}

// webhookKeyBody shows what receivers check signatures with.
type webhookKeyBody struct {
	Key string `json:"key"`
}

func (s *server) getWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	key, err := s.farm.Webhooks().Key(ctx, p)
	if err != nil {
		return err
	}
	return ok(c, webhookKeyBody{key})
}

func (s *server) renewWebhookKey(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := s.call(c)
	defer done()
	key, err := s.farm.Webhooks().RenewKey(ctx, p)
	if err != nil {
		return err
	}
	return created(c, webhookKeyBody{key})
}
