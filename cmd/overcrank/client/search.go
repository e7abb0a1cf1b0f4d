package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Found is what was found.
type Found struct {
	Raw
	Found []FoundRecord `json:"found"`
	// More are the kinds of which there is more.
	More     []string  `json:"more"`
	Indexing *Indexing `json:"indexing"`
}

// FoundRecord is one thing that was found.
type FoundRecord struct {
	Kind        string `json:"kind"`
	ID          string `json:"id"`
	Name        string `json:"name"`
	Status      string `json:"status"`
	By          string `json:"by"`
	Composition string `json:"composition"`
	Jobs        int    `json:"jobs"`
	CreatedAt   string `json:"createdAt"`
}

// Indexing is how many jobs of all can be found so far.
type Indexing struct {
	Done  int `json:"done"`
	Total int `json:"total"`
}

// Search finds things by words, at most limit of each kind; kind is "" for all.
func (c *Client) Search(ctx context.Context, words, kind string, limit int) (Found, error) {
	query := url.Values{"q": {words}, "limit": {strconv.Itoa(limit)}}
	if kind != "" {
		query.Set("kind", kind)
	}
	return fetch[Found](ctx, c, http.MethodGet, "/api/farm/v1/search", query, nil)
}
