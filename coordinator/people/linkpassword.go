package people

import (
	"context"
	"fmt"
)

// HashPassword is what is kept of a password that opens something else than an account, such as a review link.
func (d *Directory) HashPassword(ctx context.Context, password string) (string, error) {
	return d.hashing.hash(ctx, password)
}

// CheckPassword checks such a password. Tries are counted as those to sign in are: by what would be opened, and by the address that they come
// from. CodeUnauthorized for a wrong one, CodeRateLimited for too many.
func (d *Directory) CheckPassword(ctx context.Context, account, address, password, hash string) error {
	if len(password) > passwordMost {
		return errPassword
	}
	if err := d.mayTry(ctx, Try{Account: account, Address: address}); err != nil {
		return err
	}
	right, err := d.hashing.verify(ctx, password, hash)
	if err != nil {
		return fmt.Errorf("checking a password: %w", err)
	}
	if !right {
		return errPassword
	}
	return nil
}
