package client

import (
	"context"
	"net/http"
)

// FrameRange is a range of frames, both ends included, counted from 0.
type FrameRange struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// AskAgain is which frames of a job are to be rendered again. Whole allows that the whole film is, when that is the only way.
type AskAgain struct {
	Frames []FrameRange `json:"frames"`
	Whole  bool         `json:"whole,omitempty"`
}

// Again is which job renders which frames again: the one that was named or, as a take, a new one.
type Again struct {
	Job    string       `json:"job"`
	Take   bool         `json:"take"`
	Frames []FrameRange `json:"frames"`
	Raw    `json:"-"`
}

// RenderAgain has frames of a job rendered again.
func (c *Client) RenderAgain(ctx context.Context, id string, asked AskAgain) (Again, error) {
	return fetch[Again](ctx, c, http.MethodPost, at("/api/farm/v1/jobs/%s/render-again", id), nil, asked)
}
