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
	// MachineTags bound which machines get it: those with one of these tags; none for all.
	MachineTags []string `json:"machineTags"`
}

// IDAndName are what people name it by on the command line.
func (s Secret) IDAndName() (id, name string) { return s.ID, s.Name }

// Secrets lists the secrets.
func (c *Client) Secrets(ctx context.Context) (List[Secret], error) {
	return list[Secret](ctx, c, "/api/v2/secrets", nil)
}

// SetSecret makes a secret that goes to machines with one of the tags, to all without any. A name that is taken is an *Error with the
// code SecretExists.
func (c *Client) SetSecret(ctx context.Context, name, value string, machineTags []string) (Secret, error) {
	body := map[string]any{"name": name, "value": value}
	if len(machineTags) > 0 {
		body["machineTags"] = machineTags
	}
	return fetch[Secret](ctx, c, http.MethodPut, "/api/v2/secrets", nil, body)
}

// RestrictSecret changes which machines get a secret: those with one of the tags, all without any.
func (c *Client) RestrictSecret(ctx context.Context, id string, machineTags []string) (Secret, error) {
	return fetch[Secret](ctx, c, http.MethodPatch, at("/api/farm/v1/secrets/%s", id), nil, map[string]any{"machineTags": append([]string{}, machineTags...)})
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
