package people

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Tries are counted by the coordinator that leads, in its memory, so that they are counted once for the whole farm and cost no write. Another leader
// begins anew. Nobody is locked out for good: a try comes back with time, and a browser in which somebody has signed in before has tries of its own,
// so whoever guesses at an account all day does not keep its owner out.

// Try is a try to sign in with a password, as it is counted.
type Try struct {
	Account string // which it would open; a name that nobody has is counted as well
	Address string // where it comes from
	Browser string // which has opened the account before, "" for others
}

const (
	// accountTries are possible at once, and one more after each TryPause.
	accountTries = 10
	// TryPause is how long it takes at most until there may be another try.
	TryPause = 30 * time.Second
	// addressTries are more, since a whole studio may come from one address.
	addressTries = 50
	addressPause = time.Second
	// mostTried is how many accounts and addresses are remembered; the one that was tried longest ago is forgotten, which gives it its tries back.
	// So many take longer to name than a try takes to come back.
	mostTried = 1 << 16
)

// tries is what was tried of late.
type tries struct {
	mu                  sync.Mutex
	accounts, addresses *lru.Cache[string, *rate.Limiter]
}

func newTries() *tries {
	t := &tries{}
	t.accounts, _ = lru.New[string, *rate.Limiter](mostTried) // fails only for sizes below one
	t.addresses, _ = lru.New[string, *rate.Limiter](mostTried)
	return t
}

// TakeTry counts a try, and gives how long it has to wait; zero lets it pass.
func (d *Directory) TakeTry(t Try) (wait time.Duration) { return d.tries.take(t, d.state.Now()) }

func (t *tries) take(try Try, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait := takeOf(t.addresses, try.Address, addressTries, addressPause, now); wait > 0 {
		return wait
	}
	return takeOf(t.accounts, try.Account+"\x00"+try.Browser, accountTries, TryPause, now)
}

func takeOf(known *lru.Cache[string, *rate.Limiter], key string, most int, pause time.Duration, now time.Time) time.Duration {
	limiter, ok := known.Get(key)
	if !ok {
		limiter = rate.NewLimiter(rate.Every(pause), most)
		known.Add(key, limiter)
	}
	r := limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// KnownBrowser is a text by which a browser shows later that somebody has signed in there.
func (d *Directory) KnownBrowser(tokenID string) string {
	body := tokenID + "." + rand.Text()
	return body + "." + d.signKnown(body)
}

// knownAs is which browser shows a text of KnownBrowser for an account; "" when it is none of these.
func (d *Directory) knownAs(text, tokenID string) string {
	i := strings.LastIndexByte(text, '.')
	if i < 0 || !hmac.Equal([]byte(text[i+1:]), []byte(d.signKnown(text[:i]))) {
		return ""
	}
	token, browser, _ := strings.Cut(text[:i], ".")
	if token != tokenID {
		return ""
	}
	return browser
}

func (d *Directory) signKnown(body string) string {
	mac := hmac.New(sha256.New, d.derive("known browsers", 32))
	mac.Write([]byte(body))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
