package public

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/farm"
)

// webhookHeaders is how many headers a webhook may name.
const webhookHeaders = 50

// reservedHeaders say how a request is framed and who sent it; a webhook cannot set them.
var reservedHeaders = []string{
	"connection", "content-encoding", "content-length", "expect", "host", "keep-alive", "proxy-authorization", "proxy-connection",
	"te", "trailer", "transfer-encoding", "upgrade", "x-delivery-id", "x-signature",
}

func readWebhook(o input.Object) *farm.Webhook {
	w, given := o.Filled("webhook")
	if !given {
		return nil
	}
	out := &farm.Webhook{
		URL:    strings.TrimSpace(w.NeedText("url", input.AddressLimit)),
		Method: w.Choice("method", "GET", "POST", "PUT", "DELETE"),
		Custom: w.Flag("custom"),
	}
	if out.URL != "" && !webAddress(out.URL) {
		w.Problem("url", "has to be an http or https address")
	}
	out.Headers = readHeaders(w)
	if w.Has("data") {
		out.Data = w.Raw("data")
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
func readHeaders(w input.Object) map[string]string {
	headers, isObject := w.Child("headers")
	if !isObject {
		return nil
	}
	names := headers.Names()
	if len(names) > webhookHeaders {
		w.Problem("headers", "names %d headers; %d are allowed", len(names), webhookHeaders)
		return nil
	}
	slices.Sort(names)
	out := make(map[string]string, len(names))
	seen := map[string]bool{}
	for _, name := range names {
		lower := strings.ToLower(name)
		var value string
		switch input.KindOf(headers.Raw(name)) {
		case input.KindNull:
			continue
		case input.KindNumber, input.KindBool: // the public contract takes any value
			value = string(bytes.TrimSpace(headers.Raw(name)))
		default:
			value = headers.Text(name, input.AddressLimit)
		}
		switch {
		case name == "" || strings.ContainsFunc(name, notInHeaderName):
			headers.Problem(name, "is not a valid header name")
		case slices.Contains(reservedHeaders, lower):
			headers.Problem(name, "is set by the farm and cannot be given")
		case seen[lower]:
			headers.Problem(name, "is given twice, in different case")
		case strings.ContainsFunc(value, notInHeaderValue):
			headers.Problem(name, "holds a character that a header cannot have, such as the end of a line")
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
	body, err := answer.Encode(struct {
		JobBody
		Data json.RawMessage `json:"data,omitempty"`
	}{jobShape(job, address, false), data})
	return bytes.TrimSuffix(body, []byte("\n")), err
}
