package client

import (
	"context"
	"net/http"
)

// SecretExists is the code of the error that a name which is taken gives.
const SecretExists = "SECRET_ALREADY_EXISTS"

// Secret is a named value of the team; the value itself is never shown.
type Secret struct {
	Raw       `json:"-"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedAt string `json:"createdAt"`
}

// Secrets lists the secrets.
func (c *Client) Secrets(ctx context.Context) (List[Secret], error) {
	return list[Secret](ctx, c, "/api/v2/secrets", nil)
}

// SetSecret makes a secret. A name that is taken is an *Error with the code SecretExists.
func (c *Client) SetSecret(ctx context.Context, name, value string) (Secret, error) {
	return fetch[Secret](ctx, c, http.MethodPut, "/api/v2/secrets", nil, map[string]string{"name": name, "value": value})
}

// DeleteSecret deletes a secret.
func (c *Client) DeleteSecret(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, at("/api/v2/secrets/%s", id))
}

// KeyRotation is the farm's answer to a new key for secrets.
type KeyRotation struct {
	Raw      `json:"-"`
	Key      string   `json:"key"`      // the name of the new key
	Resealed int      `json:"resealed"` // how many secrets were sealed anew
	Keys     []string `json:"keys"`     // that the farm has now
}

// RotateSecretKey makes a new key and seals all secrets with it; dropOld forgets the keys that seal nothing any more.
func (c *Client) RotateSecretKey(ctx context.Context, dropOld bool) (KeyRotation, error) {
	return fetch[KeyRotation](ctx, c, http.MethodPost, "/api/farm/v1/secret-keys", nil, map[string]bool{"dropOld": dropOld})
}
