// Package client speaks the farm's public REST interface, for the commands.
//
// Requests that may be sent twice without harm are sent again when the farm is busy, has no leader or loses the connection.
// A POST is such a request where it carries an Idempotency-Key, by which the farm knows a repetition.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// Client is a caller with a token. Its methods may be called at the same time.
type Client struct {
	// Server is the farm's base address, or those of several of its coordinators with commas between: when one does not answer,
	// or has no leader, the next is asked.
	Server string
	Token  string
	HTTP   *http.Client // nil means http.DefaultClient
	// Patience is how long a farm that is busy, or that stopped answering, is given before a request fails. 0 means 30 s.
	Patience time.Duration

	answered atomic.Bool  // the farm has answered once, so that its address is right
	turn     atomic.Int64 // which of the addresses is asked; it only grows
}

// request is what send sends, as often as need be.
type request struct {
	method string
	path   string // on the farm, or a whole address
	query  url.Values
	header http.Header
	// open begins the body, for each try anew; nil means none. size is its length in bytes.
	open func() (io.ReadCloser, error)
	size int64
	// once says that the answer holds a secret, which the farm does not keep to repeat it: the request gets no key.
	once bool
	// repeats says that a PUT does the same however often it arrives.
	repeats bool
}

// rawKeeper is an answer that keeps its own text.
type rawKeeper interface{ keepRaw(json.RawMessage) }

// Raw is the text of an answer as the farm wrote it; types embed it so that it can be printed unchanged.
type Raw struct{ text json.RawMessage }

func (r *Raw) keepRaw(text json.RawMessage) { r.text = text }

// JSON is the answer as the farm wrote it.
func (r Raw) JSON() json.RawMessage { return r.text }

// List is an answer that is an array.
type List[T any] struct {
	Raw
	Items []T
	// Next is the path and query of the page that follows, "" behind the last.
	Next string
}

// UnmarshalJSON reads the array.
func (l *List[T]) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &l.Items) }

// Keep is the list with only those items that keep chooses, also in its JSON.
func (l List[T]) Keep(keep func(T) bool) (List[T], error) {
	out := List[T]{Next: l.Next}
	var texts []json.RawMessage
	if err := json.Unmarshal(l.JSON(), &texts); err != nil {
		return out, fmt.Errorf("reading a list of the farm again: %w", err)
	}
	kept := []json.RawMessage{}
	for i, item := range l.Items {
		if keep(item) {
			out.Items, kept = append(out.Items, item), append(kept, texts[i])
		}
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return out, fmt.Errorf("writing a list of the farm: %w", err)
	}
	out.keepRaw(text)
	return out, nil
}

// fetch sends a request, with a JSON body unless body is nil, and decodes the JSON answer.
func fetch[T any](ctx context.Context, c *Client, method, path string, query url.Values, body any) (T, error) {
	var out T
	r, err := withJSON(request{method: method, path: path, query: query}, body)
	if err == nil {
		err = c.answer(ctx, r, &out)
	}
	return out, err
}

// fetchOnce is fetch for a POST whose answer holds a secret.
func fetchOnce[T any](ctx context.Context, c *Client, path string, body any) (T, error) {
	var out T
	r, err := withJSON(request{method: http.MethodPost, path: path, once: true}, body)
	if err == nil {
		err = c.answer(ctx, r, &out)
	}
	return out, err
}

// withJSON gives a request a value as its body, unless that is nil.
func withJSON(r request, body any) (request, error) {
	if body == nil {
		return r, nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return r, fmt.Errorf("encode the request: %w", err)
	}
	r.header = http.Header{"Content-Type": {"application/json"}}
	r.size = int64(len(raw))
	r.open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	return r, nil
}

// do sends a request without a body and takes no notice of what the answer holds.
func (c *Client) do(ctx context.Context, method, path string) error {
	return c.answer(ctx, request{method: method, path: path}, nil)
}

// answer sends a request and decodes its JSON answer into out, unless out is nil.
func (c *Client) answer(ctx context.Context, r request, out any) error {
	text, _, err := c.text(ctx, r)
	if err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s %s: the answer is not what was expected: %w", r.method, r.path, err)
	}
	if k, ok := out.(rawKeeper); ok {
		k.keepRaw(bytes.TrimSpace(text))
	}
	return nil
}

// brokenOff is how often a request is sent again whose answer broke off.
const brokenOff = 3

// text sends a request and reads the whole answer.
func (c *Client) text(ctx context.Context, r request) ([]byte, http.Header, error) {
	r = keyed(r)
	for tries := 0; ; tries++ {
		turn := c.turn.Load()
		resp, err := c.send(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil {
			return text, resp.Header, nil
		}
		if tries == brokenOff || !r.repeatable() || ctx.Err() != nil {
			return nil, nil, fmt.Errorf("%s %s: the answer broke off: %w", r.method, r.path, err)
		}
		c.moveOn(turn)
	}
}

// list gets an array, and where its next page is.
func list[T any](ctx context.Context, c *Client, path string, query url.Values) (List[T], error) {
	var out List[T]
	text, header, err := c.text(ctx, request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(text, &out); err != nil {
		return out, fmt.Errorf("GET %s: the answer is not what was expected: %w", path, err)
	}
	out.keepRaw(bytes.TrimSpace(text))
	out.Next = nextLink(header.Values("Link"))
	return out, nil
}

// nextLink is the address that Link headers (RFC 8288) give for the next page, "" when there is none.
func nextLink(links []string) string {
	for _, header := range links {
		for _, link := range strings.Split(header, ",") {
			target, params, _ := strings.Cut(link, ";")
			target = strings.TrimSpace(target)
			isNext := strings.Contains(strings.ReplaceAll(params, " ", ""), `rel="next"`)
			if isNext && strings.HasPrefix(target, "<") && strings.HasSuffix(target, ">") {
				return target[1 : len(target)-1]
			}
		}
	}
	return ""
}

// pages follows Next until limit items are there or the list ends; a limit of 0 or less means all. The text of the whole is one array.
func pages[T any](ctx context.Context, c *Client, path string, query url.Values, limit int) (List[T], error) {
	all, err := list[T](ctx, c, path, query)
	if err != nil || all.Next == "" || limit > 0 && len(all.Items) >= limit {
		return all, err
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(all.text, &texts); err != nil {
		return all, err
	}
	for all.Next != "" && (limit <= 0 || len(all.Items) < limit) {
		page, err := list[T](ctx, c, all.Next, nil)
		if err != nil {
			return all, err
		}
		var more []json.RawMessage
		if err := json.Unmarshal(page.text, &more); err != nil {
			return all, err
		}
		all.Items, texts, all.Next = append(all.Items, page.Items...), append(texts, more...), page.Next
	}
	if limit > 0 && len(all.Items) > limit {
		all.Items, texts = all.Items[:limit], texts[:limit]
	}
	all.text = joinTexts(texts)
	return all, nil
}

// joinTexts writes values as one array, each as the farm wrote it.
func joinTexts(texts []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, t := range texts {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(t)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// at is a path with an id in it.
func at(format string, ids ...string) string {
	escaped := make([]any, len(ids))
	for i, id := range ids {
		escaped[i] = url.PathEscape(id)
	}
	return fmt.Sprintf(format, escaped...)
}
