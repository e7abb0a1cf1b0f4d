package client

import (
	"context"
	"net/http"
)

const joinTokensPath = "/api/farm/v1/join-tokens"

// JoinToken is an invitation of machines.
type JoinToken struct {
	Raw        `json:"-"`
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	Tags       []string `json:"tags"`
	Uses       int      `json:"uses"`
	Left       int      `json:"left"`
	CreatedBy  string   `json:"createdBy"`
	CreatedAt  string   `json:"createdAt"`
	ExpiresAt  string   `json:"expiresAt"`
	LastUsedAt string   `json:"lastUsedAt"`
	JoinToken  string   `json:"joinToken"` // in the answer that makes it and never again
}

// IDAndName are what people name it by on the command line.
func (j JoinToken) IDAndName() (id, name string) { return j.ID, j.Name }

// NewJoinToken asks for an invitation.
type NewJoinToken struct {
	Name      string   `json:"name,omitempty"`
	Uses      int      `json:"uses,omitempty"`      // 0 means one
	ExpiresAt string   `json:"expiresAt,omitempty"` // ISO 8601; "" means in a day
	Tags      []string `json:"tags,omitempty"`
}

// Invitations lists the invitations that the farm knows.
func (c *Client) Invitations(ctx context.Context) (List[JoinToken], error) {
	return list[JoinToken](ctx, c, joinTokensPath, nil)
}

// Invite makes an invitation.
func (c *Client) Invite(ctx context.Context, in NewJoinToken) (JoinToken, error) {
	return fetchOnce[JoinToken](ctx, c, joinTokensPath, in)
}

// RevokeInvitation revokes an invitation, at once.
func (c *Client) RevokeInvitation(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, joinTokensPath+at("/%s", id))
}
