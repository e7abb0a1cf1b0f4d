package coordinator

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"overcrank/farm"
	"overcrank/farm/redact"
	"overcrank/outbound"
	"overcrank/raftstore"
)

const (
	webhookWithin = 10 * time.Second // from the first byte sent to the answer's header
	// webhookRest bounds what of an answer's body is read, in bytes and time: only so much that its connection can serve again.
	webhookRest       = 4 << 10
	webhookRestWithin = time.Second

	webhookKeyPrefix = "ocw_"

	headerSignature = "X-Signature"
	headerDelivery  = "X-Delivery-Id"
)

// errMoved is a redirect that would not carry the body along, or would carry it where it is not safe.
type errMoved struct{ why string }

func (e *errMoved) Error() string { return e.why }

// failure is a delivery that did not go well. A final one cannot go better.
type failure struct {
	reason string
	final  bool
}

// caller calls webhooks.
type caller struct {
	guard  outbound.Guard
	client *http.Client
}

func newCaller(guard outbound.Guard) *caller {
	w := &caller{guard: guard, client: guard.Client(guard.Transport())}
	w.client.CheckRedirect = w.follow
	return w
}

// follow goes along with redirects that keep method and body, 307 and 308. The caller's headers, which may be passwords,
// stay with the host that the caller named.
func (w *caller) follow(req *http.Request, via []*http.Request) error {
	if err := w.guard.CheckRedirect(req, via); err != nil {
		return err
	}
	first := via[0]
	if code := req.Response.StatusCode; code != http.StatusTemporaryRedirect && code != http.StatusPermanentRedirect {
		return &errMoved{fmt.Sprintf("the receiver redirects with %d, which would lose the body; give its final address, or let it redirect with 307 or 308", code)}
	}
	if first.URL.Scheme == "https" && req.URL.Scheme != "https" {
		return &errMoved{"the receiver redirects from https to http"}
	}
	if req.URL.Host != first.URL.Host {
		own := http.Header{}
		for _, name := range []string{"Content-Type", "User-Agent", headerSignature, headerDelivery} {
			if value := req.Header.Get(name); value != "" {
				own.Set(name, value)
			}
		}
		req.Header = own
	}
	return nil
}

// call calls the webhook of a job that has ended, once. It gives the receiver's status when that has taken it.
func (c *Coordinator) call(ctx context.Context, job farm.Job) (status int, failed *failure) {
	ctx, cancel := context.WithTimeout(ctx, webhookWithin)
	defer cancel()
	req, secrets, err := c.webhookRequest(ctx, job)
	if err != nil {
		return 0, &failure{reason: secrets.String(callReason(err)), final: hopeless(err)}
	}
	resp, err := c.caller.client.Do(req)
	if err != nil {
		return 0, &failure{reason: secrets.String(callReason(outbound.Cause(err)))}
	}
	hurry := time.AfterFunc(webhookRestWithin, cancel)
	defer hurry.Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, webhookRest)
	_ = resp.Body.Close() // what is in it, and how it ends, is of no account
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return 0, &failure{reason: fmt.Sprintf("the receiver answered %d", resp.StatusCode)}
	}
	return resp.StatusCode, nil
}

// hopeless tells errors about what the job says of its webhook from those of the farm's own moment.
func hopeless(err error) bool {
	code := farm.CodeOf(err)
	return code == farm.CodeInvalid || code == farm.CodeGone || errors.Is(err, outbound.ErrForbidden) || errors.Is(err, outbound.ErrScheme)
}

// webhookRequest makes the request of a delivery, and tells which secrets are in it, also with an error. It is a function of
// the job as it ended, so each try sends the same.
func (c *Coordinator) webhookRequest(ctx context.Context, job farm.Job) (*http.Request, *redact.Redactor, error) {
	if !job.RedactedAt.IsZero() {
		return nil, nil, farm.Errorf(farm.CodeGone, "its address is no longer kept: it was redacted")
	}
	hook, secrets, err := c.revealWebhook(job)
	if err != nil {
		return nil, secrets, err
	}
	req, err := c.hookRequest(ctx, job, hook)
	return req, secrets, err
}

// hookRequest makes the request of a delivery from a webhook in which no secret is left to put in.
func (c *Coordinator) hookRequest(ctx context.Context, job farm.Job, hook farm.Webhook) (*http.Request, error) {
	body, err := c.webhookBody(job, hook)
	if err != nil {
		return nil, err
	}
	method := hook.Method
	if method == "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, hook.URL, bytes.NewReader(body))
	if err != nil {
		return nil, farm.Errorf(farm.CodeInvalid, "its address cannot be read")
	}
	if err := c.caller.guard.Check(req.URL); err != nil {
		return nil, err
	}
	key, err := c.webhookKey(job.Team)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", strings.TrimSuffix("overcrank/"+c.cfg.Version, "/"))
	for name, value := range hook.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set(headerDelivery, job.ID)
	req.Header.Set(headerSignature, signature(key, body))
	return req, nil
}

// webhookBody is what a delivery carries: the job as the interface shows it, with the caller's data beside it, or the data alone.
func (c *Coordinator) webhookBody(job farm.Job, hook farm.Webhook) ([]byte, error) {
	if hook.Custom && len(hook.Data) > 0 {
		return hook.Data, nil
	}
	if err := c.addProgress(&job); err != nil {
		return nil, err
	}
	return c.cfg.DescribeJob(job, outputAddress(cmp.Or(hook.Farm, c.PublicAddress()), job), hook.Data)
}

// signature is what a receiver compares: the HMAC of the body with the team's key, whose text is the key's bytes.
func signature(key string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// callReason words why a call failed, without any address: that may hold a password.
func callReason(err error) string {
	var moved *errMoved
	var own *farm.Error
	switch {
	case errors.As(err, &moved):
		return moved.why
	case errors.As(err, &own):
		return own.Message
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("the receiver did not answer within %s", webhookWithin)
	default:
		reason, _ := outbound.Reason(err)
		return "the receiver cannot be asked: " + reason
	}
}

// webhookKey is the key with which a team's webhooks are signed. It is derived, so none is kept.
func (c *Coordinator) webhookKey(team string) (string, error) {
	var salt string
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		salt, err = tx.WebhookSalt(team)
		return err
	})
	return webhookKeyPrefix + hex.EncodeToString(c.keys.derive("webhooks "+team+" "+salt, 32)), err
}

// WebhookKey is the key with which the webhooks of the caller's team are signed.
func (c *Coordinator) WebhookKey(_ context.Context, p farm.Principal) (string, error) {
	if err := p.May(farm.ActViewWebhookKey); err != nil {
		return "", err
	}
	return c.webhookKey(p.Team)
}

// RenewWebhookKey gives the caller's team another key; deliveries are signed with it from now on.
func (c *Coordinator) RenewWebhookKey(ctx context.Context, p farm.Principal) (string, error) {
	if err := p.May(farm.ActRenewWebhookKey); err != nil {
		return "", err
	}
	if _, err := c.state.Apply(ctx, raftstore.RenewWebhookKey{Team: p.Team, Salt: rand.Text()}); err != nil {
		return "", err
	}
	return c.webhookKey(p.Team)
}

// Delivery tells how the webhook of a job of the caller's team stands; CodeNotFound when none is owed for it.
func (c *Coordinator) Delivery(_ context.Context, p farm.Principal, id string) (farm.Delivery, error) {
	job, err := c.teamJob(p, id)
	if err != nil {
		return farm.Delivery{}, err
	}
	var d farm.Delivery
	err = c.store.View(func(tx *raftstore.Tx) (err error) {
		d, err = tx.Delivery(id)
		return err
	})
	if farm.CodeOf(err) != farm.CodeNotFound {
		return d, err
	}
	switch {
	case job.Webhook == nil:
		return d, farm.Errorf(farm.CodeNotFound, "job %s has no webhook", id)
	case !job.Status.Ended():
		return d, farm.Errorf(farm.CodeNotFound, "the webhook of job %s is called when the job has finished or failed; it is %s", id, job.Status)
	default:
		return d, farm.Errorf(farm.CodeNotFound, "the webhook of job %s is not called: the job is %s", id, job.Status)
	}
}

// Redeliver calls a webhook again whose delivery has ended, well or not.
func (c *Coordinator) Redeliver(ctx context.Context, p farm.Principal, id string) (farm.Delivery, error) {
	if err := p.May(farm.ActChangeJobs); err != nil {
		return farm.Delivery{}, err
	}
	if _, err := c.Delivery(ctx, p, id); err != nil {
		return farm.Delivery{}, err
	}
	if _, err := c.state.Apply(ctx, raftstore.Redeliver{Team: p.Team, ID: id, At: c.cfg.Now()}); err != nil {
		return farm.Delivery{}, err
	}
	c.note(id, "webhook: delivered anew, as "+p.Name+" asked")
	return c.Delivery(ctx, p, id)
}
