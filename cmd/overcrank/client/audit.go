package client

import (
	"context"
	"net/url"
	"strconv"
)

// AuditRecord is who did what at the farm.
type AuditRecord struct {
	ID string `json:"id"`
	At string `json:"at"`
	By *struct {
		ID     string `json:"id"`
		Name   string `json:"name"`
		Person bool   `json:"person"`
	} `json:"by"`
	Address string      `json:"address"`
	Action  string      `json:"action"`
	Thing   *AuditThing `json:"thing"`
	Left    *AuditThing `json:"left"`   // the team that a person was moved from
	Joined  *AuditThing `json:"joined"` // the team that they were moved into
	More    int         `json:"more"`
	Times   int         `json:"times"`
	Refused string      `json:"refused"`
	Reason  string      `json:"reason"`
}

// AuditThing is what something was done to, as it was called then.
type AuditThing struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Audit lists what was done at the farm, the newest first; query filters as the interface does. A limit of 0 means all.
func (c *Client) Audit(ctx context.Context, query url.Values, limit int) (List[AuditRecord], error) {
	size := 500
	if limit > 0 {
		size = min(limit, size)
	}
	query.Set("limit", strconv.Itoa(size))
	return pages[AuditRecord](ctx, c, "/api/farm/v1/audit", query, limit)
}
