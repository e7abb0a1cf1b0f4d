package people

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"overcrank/farm"
)

const (
	// PasswordLeast is how many characters a password has at least. Tries are limited besides, so length is the only rule: rules about
	// kinds of characters make passwords that are hard to remember and easy to guess (NIST SP 800-63B, 3.1.1.2).
	PasswordLeast = 12
	// passwordMost bounds what is hashed, in bytes.
	passwordMost = 1024
	// passwordVariety is of how many different characters a password is made at least, which "aaaaaaaaaaaa" is not.
	passwordVariety = 5
)

// CheckPassword refuses a password that would be guessed: one that is short, or the name of whom it is for.
func CheckPassword(password string, who farm.Token) error {
	different := map[rune]bool{}
	for _, r := range password {
		different[r] = true
	}
	var problem farm.Text
	switch {
	case utf8.RuneCountInString(password) < PasswordLeast:
		problem = farm.Say("needs %d characters or more; several words make a good one", PasswordLeast)
	case len(password) > passwordMost:
		problem = farm.Say("has more than %d bytes", passwordMost)
	case len(different) < passwordVariety:
		problem = farm.Say("needs %d different characters or more", passwordVariety)
	case strings.EqualFold(password, who.Name), strings.EqualFold(password, who.Email):
		problem = farm.Say("must not be the name that you sign in with")
	}
	if problem.IsZero() {
		return nil
	}
	return farm.Invalid("this password cannot be used", farm.Field("password", "%s", problem))
}

// cost is what a hash of a password takes to make.
type cost struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

// today is the cost of new hashes: the least that OWASP's Password Storage Cheat Sheet names for Argon2id, 19 MiB of memory, two passes
// and one thread. A hash says at which cost it was made, and is made again when its owner signs in and this has been raised.
var today = cost{memory: 19 * 1024, passes: 2, threads: 1}

const (
	saltSize = 16
	hashSize = 32
	// hashesWaiting is how many may wait for their turn, and hashWithin how long.
	hashesWaiting = 64
	hashWithin    = 10 * time.Second
)

// hashing makes hashes of passwords, of which only some are made at a time: each takes a processor and 19 MiB for some 30 ms, and a
// coordinator has other things to do.
type hashing struct {
	waiting chan struct{}
	turns   chan struct{}
	nobody  string // a hash of no password, at today's cost
}

func newHashing() *hashing {
	atOnce := max(1, runtime.GOMAXPROCS(0)/4)
	h := &hashing{waiting: make(chan struct{}, hashesWaiting+atOnce), turns: make(chan struct{}, atOnce)}
	h.nobody = today.text(make([]byte, saltSize), make([]byte, hashSize))
	return h
}

// turn waits for one, which ends with done. CodeUnavailable when too many wait already.
func (h *hashing) turn(ctx context.Context) (done func(), err error) {
	busy := farm.Errorf(farm.CodeUnavailable, "many people sign in at this moment; try again in some seconds")
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, busy
	}
	timer := time.NewTimer(hashWithin)
	defer timer.Stop()
	select {
	case h.turns <- struct{}{}:
		return func() { <-h.turns; <-h.waiting }, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = busy
	}
	<-h.waiting
	return nil, err
}

// hash is what is kept of a password.
func (h *hashing) hash(ctx context.Context, password string) (string, error) {
	done, err := h.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // crypto/rand never fails: it ends the process instead
	return today.text(salt, today.hash(password, salt, hashSize)), nil
}

// verify says whether a password is that of a hash. Without a hash it takes as long and says no.
func (h *hashing) verify(ctx context.Context, password, hash string) (right bool, err error) {
	known := hash != ""
	if !known {
		hash = h.nobody
	}
	c, salt, want, err := readHash(hash)
	if err != nil {
		return false, err
	}
	done, err := h.turn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	got := c.hash(password, salt, len(want))
	return subtle.ConstantTimeCompare(got, want) == 1 && known, nil
}

// hash is Argon2id of a password. The same characters may be typed as different ones, so they are brought into one form.
func (c cost) hash(password string, salt []byte, size int) []byte {
	return argon2.IDKey([]byte(norm.NFC.String(password)), salt, c.passes, c.memory, c.threads, uint32(size))
}

// text is a hash in the PHC string format.
func (c cost) text(salt, hash []byte) string {
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.passes, c.threads, text(salt), text(hash))
}

// readHash takes apart what text has written.
func readHash(text string) (c cost, salt, hash []byte, err error) {
	damaged := fmt.Errorf("the hash of a password is damaged")
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return c, nil, nil, damaged
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.threads); err != nil || c.memory == 0 || c.passes == 0 || c.threads == 0 {
		return c, nil, nil, damaged
	}
	salt, err = base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return c, nil, nil, damaged
	}
	hash, err = base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(hash) == 0 {
		return c, nil, nil, damaged
	}
	return c, salt, hash, nil
}

// outdated says whether a hash was made at another cost than today's.
func outdated(hash string) bool {
	c, _, _, err := readHash(hash)
	return err == nil && c != today
}
