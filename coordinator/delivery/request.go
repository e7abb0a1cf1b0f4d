package delivery

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"overcrank/farm"
	"overcrank/farm/redact"
)

// request makes the request of a delivery, and tells which secrets are in it, also with an error. It is a function of
// the job as it ended, so each try sends the same.
func (d *Webhooks) request(ctx context.Context, job farm.Job) (*http.Request, *redact.Redactor, error) {
	if !job.RedactedAt.IsZero() {
		return nil, nil, farm.Errorf(farm.CodeGone, "its address is no longer kept: it was redacted")
	}
	hook, secrets, err := d.farm.RevealWebhook(job)
	if err != nil {
		return nil, secrets, err
	}
	req, err := d.hookRequest(ctx, job, hook)
	return req, secrets, err
}

// hookRequest makes the request of a delivery from a webhook in which no secret is left to put in.
func (d *Webhooks) hookRequest(ctx context.Context, job farm.Job, hook farm.Webhook) (*http.Request, error) {
	body, err := d.body(job, hook)
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
	if err := d.caller.guard.Check(req.URL); err != nil {
		return nil, err
	}
	key, err := d.key(job.Team)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", strings.TrimSuffix("overcrank/"+d.version, "/"))
	for name, value := range hook.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set(headerDelivery, job.ID)
	req.Header.Set(headerSignature, signature(key, body))
	return req, nil
}

// body is what a delivery carries: the job as the interface shows it, with the caller's data beside it, or the data alone.
func (d *Webhooks) body(job farm.Job, hook farm.Webhook) ([]byte, error) {
	if hook.Custom && len(hook.Data) > 0 {
		return hook.Data, nil
	}
	return d.farm.DescribeEnded(job, hook)
}

// signature is what a receiver compares: the HMAC of the body with the team's key, whose text is the key's bytes.
func signature(key string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
