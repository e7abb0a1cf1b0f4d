package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Event is something that happened on the farm.
type Event struct {
	Raw      `json:"-"`
	Kind     string   `json:"kind"`
	ID       string   `json:"id"`
	Job      string   `json:"job"`
	Progress *float64 `json:"progress"` // percent
	Frame    *int     `json:"frame"`
	Phase    string   `json:"phase"`
	Lines    []string `json:"lines"`
}

// longestEvent bounds one event, in bytes: the lines of a log that come at once.
const longestEvent = 16 << 20

// Events tells of what happens until the farm or ctx ends that, or until tell gives an error. The query is that of GET /events.
func (c *Client) Events(ctx context.Context, query url.Values, tell func(Event) error) error {
	const path = "/api/farm/v1/events"
	resp, err := c.send(ctx, request{method: http.MethodGet, path: path, query: query})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	turn := c.turn.Load()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, longestEvent)
	for lines.Scan() {
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData {
			continue
		}
		var e Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return fmt.Errorf("GET %s: the event is not what was expected: %w", path, err)
		}
		e.keepRaw(json.RawMessage(data))
		if err := tell(e); err != nil {
			return err
		}
	}
	c.moveOn(turn) // a coordinator that ended its events is likely gone
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("GET %s: the events broke off: %w", path, err)
	}
	return ctx.Err()
}
