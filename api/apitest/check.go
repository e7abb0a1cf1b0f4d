package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// check holds one exchange against all documents. Sent is the request's body, nil when it was a stream or had none.
func (c *Contract) check(r *http.Request, sent []byte, res *http.Response, body []byte) (wrong []error) {
	if err := checkEvery(r, res, body); err != nil {
		wrong = append(wrong, err)
	}
	for _, d := range c.documents {
		route, params, asked := d.find(r)
		if route == nil || r.Method == http.MethodHead || d.beyond(res, route) {
			continue
		}
		in := &openapi3filter.RequestValidationInput{Request: asked, PathParams: params, Route: route, Options: options(sent == nil)}
		succeeded := res.StatusCode < 300
		if succeeded && !inPart(body) {
			if err := checkRequest(in, sent); err != nil {
				wrong = append(wrong, fmt.Errorf("%s: the request: %w", d.name, err))
			}
		}
		if err := checkAnswer(in, res, body); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: the answer: %w", d.name, err))
		}
		c.note(d, d.nameOf(route), res.StatusCode, succeeded)
	}
	return wrong
}

// beyond tells what a document does not speak of: what HTTP itself adds, and the statuses that may come from anywhere.
func (d *document) beyond(res *http.Response, route *routers.Route) bool {
	if route.Operation.Responses.Status(res.StatusCode) != nil {
		return false
	}
	return slices.Contains(d.anywhere, res.StatusCode) || res.StatusCode == http.StatusRequestHeaderFieldsTooLarge
}

// inPart tells the answer to a batch of which some jobs were refused: its request was not meant to be valid.
func inPart(body []byte) bool {
	var batch struct{ BatchID, Status string }
	return json.Unmarshal(body, &batch) == nil && batch.BatchID != "" && batch.Status == "partial"
}

func options(stream bool) *openapi3filter.Options {
	return &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true, ExcludeRequestBody: stream,
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	}
}

// checkRequest holds a request that succeeded against its operation. Bodies that are JSON count as such whatever they
// say they are, and null and empty settings as absent, which is how the farm reads them. Bytes of files are not looked at.
func checkRequest(in *openapi3filter.RequestValidationInput, sent []byte) error {
	asked := in.Request
	query := asked.URL.Query()
	for name := range query {
		if query.Get(name) == "" { // as forms send them that were left as they were
			query.Del(name)
		}
	}
	asked.URL.RawQuery = query.Encode()
	in.QueryParams = query
	asked.Body, asked.GetBody, asked.ContentLength = http.NoBody, nil, 0
	in.Options.ExcludeRequestBody = true
	if op := in.Route.Operation.RequestBody; op != nil && sent != nil && op.Value.Content["application/octet-stream"] == nil {
		if op.Value.Content["application/json"] != nil {
			plain, err := withoutNulls(sent)
			if err != nil {
				return err
			}
			sent = plain
			asked.Header.Set("Content-Type", "application/json")
		}
		in.Options.ExcludeRequestBody = false
		asked.Body, asked.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
	}
	return openapi3filter.ValidateRequest(context.Background(), in)
}

func checkAnswer(in *openapi3filter.RequestValidationInput, res *http.Response, body []byte) error {
	in.Options.ExcludeResponseBody = !readable(res) || res.StatusCode == http.StatusPartialContent
	answer := in.Route.Operation.Responses.Status(res.StatusCode)
	if answer != nil && len(answer.Value.Content) > 0 && !allows(answer.Value.Content, res.Header.Get("Content-Type")) {
		return fmt.Errorf("its content type %q is not listed", res.Header.Get("Content-Type"))
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in,
		Status:                 res.StatusCode,
		Header:                 res.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                in.Options,
	})
}

func allows(content openapi3.Content, kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return content[kind] != nil || content["*/*"] != nil
}

// withoutNulls leaves out of a JSON body what counts as absent, at every depth but within what a caller sends along.
func withoutNulls(body []byte) ([]byte, error) {
	var value any
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("the body is no JSON: %w", err)
	}
	prune(value)
	return json.Marshal(value)
}

func empty(value any) bool {
	members, isObject := value.(map[string]any)
	return isObject && len(members) == 0
}

func prune(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			switch {
			case key == "value" || key == "data": // the caller's own
			case member == nil, empty(member) && slices.Contains([]string{"settings", "upload", "webhook"}, key):
				delete(v, key)
			default:
				prune(member)
			}
		}
	case []any:
		for _, element := range v {
			prune(element)
		}
	}
}
