package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Review is a link by which somebody without an account looks at a job's result.
type Review struct {
	Raw       `json:"-"`
	ID        string `json:"id"`
	Job       string `json:"job"`
	URL       string `json:"url"` // only in the answer that makes it
	For       string `json:"for"`
	Password  bool   `json:"password"`
	Download  bool   `json:"download"`
	Takes     bool   `json:"takes"`
	Open      bool   `json:"open"`
	By        string `json:"by"`
	CreatedAt string `json:"createdAt"`
	ExpiresAt string `json:"expiresAt"`
	RevokedAt string `json:"revokedAt"`
}

// NewReview asks for a review link.
type NewReview struct {
	For       string `json:"for,omitempty"`
	Password  string `json:"password,omitempty"` // "" for none
	Download  bool   `json:"download,omitempty"`
	Takes     bool   `json:"takes,omitempty"`
	ExpiresAt string `json:"expiresAt,omitempty"` // ISO 8601; "" means in 14 days
}

// Comment is what somebody said about a job's result.
type Comment struct {
	ID      string `json:"id"`
	Review  string `json:"review"` // the link by which it came, "" for one of the team
	Name    string `json:"name"`
	Text    string `json:"text"`
	Frame   *int   `json:"frame"`
	Verdict string `json:"verdict"`
	Inside  bool   `json:"inside"` // only the team sees it
	At      string `json:"at"`
}

// TeamReviews lists the review links of the team, the newest first, limit at most; 0 means all.
func (c *Client) TeamReviews(ctx context.Context, limit int) (List[Review], error) {
	var query url.Values
	if limit > 0 {
		query = url.Values{"limit": {strconv.Itoa(min(limit, 100))}}
	}
	return pages[Review](ctx, c, "/api/farm/v1/reviews", query, limit)
}

// Reviews lists the review links of a job, the oldest first.
func (c *Client) Reviews(ctx context.Context, job string) (List[Review], error) {
	return list[Review](ctx, c, at("/api/farm/v1/jobs/%s/reviews", job), nil)
}

// CreateReview makes a review link; the answer alone has its address.
func (c *Client) CreateReview(ctx context.Context, job string, in NewReview) (Review, error) {
	return fetchOnce[Review](ctx, c, at("/api/farm/v1/jobs/%s/reviews", job), in)
}

// RevokeReview ends a review link at once.
func (c *Client) RevokeReview(ctx context.Context, job, id string) error {
	return c.do(ctx, http.MethodDelete, at("/api/farm/v1/jobs/%s/reviews", job)+at("/%s", id))
}

// Comments lists what was said about a job's result, in the order in which it came.
func (c *Client) Comments(ctx context.Context, job string) (List[Comment], error) {
	return list[Comment](ctx, c, at("/api/farm/v1/jobs/%s/comments", job), nil)
}
