// Package singlesignon signs people in with the studio's own accounts: it sends a browser to an OpenID Connect provider, and checks what the
// provider says when the browser comes back. Who may come in, and as what, is decided in package people.
package singlesignon

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"overcrank/coordinator/seal"
	"overcrank/farm"
	"overcrank/farm/address"
	"overcrank/outbound"
	"overcrank/raftstore/command"
)

const (
	// flowLife is how long somebody may take at the provider.
	flowLife = 15 * time.Minute
	// skew is how far the provider's clock may be behind.
	skew = time.Minute
	// askWithin bounds each request to the provider.
	askWithin = 10 * time.Second
	// rediscover is when the provider's addresses are asked for again.
	rediscover = time.Hour
	// answerLimit bounds what is read of an answer of the provider, in bytes.
	answerLimit = 1 << 20
	// returnLimit bounds a code and a state that a browser brings back, in bytes.
	returnLimit = 8 << 10
)

// CallbackPath is the path to which the provider sends browsers back.
const CallbackPath = "/single-sign-on/callback"

// Provider signs people in with one provider. Its methods may be called at the same time.
type Provider struct {
	settings      Settings
	publicAddress func() string
	now           func() time.Time
	box           *seal.Box
	log           *slog.Logger
	client        *http.Client

	mu    sync.Mutex
	known *discovered
}

// discovered is what the provider has told of itself.
type discovered struct {
	provider *oidc.Provider
	verifier *oidc.IDTokenVerifier
	at       time.Time
}

// Parts are what a Provider needs of the farm.
type Parts struct {
	Derive        func(purpose string, size int) []byte // keys of the farm's key, the same on all coordinators
	PublicAddress func() string
	Now           func() time.Time
	Logger        *slog.Logger
}

// New makes a Provider. It asks the provider for nothing yet. Its owner closes it.
func New(s Settings, parts Parts) (*Provider, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	box, err := seal.NewBox(parts.Derive("single sign-on", 32))
	if err != nil {
		return nil, err
	}
	// The studio's own settings name the provider, so that the farm's list of addresses that callers may name does not count; what no machine may
	// ask, such as a cloud's metadata, stays closed.
	guard := outbound.Fixed(address.Policy{})
	client := guard.Client(bounded{guard.Transport()})
	client.Timeout = askWithin
	return &Provider{settings: s, publicAddress: parts.PublicAddress, now: parts.Now, box: box, log: parts.Logger, client: client}, nil
}

// Close lets go of connections to the provider.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Settings are those of the provider. The secret is left out.
func (p *Provider) Settings() Settings {
	s := p.settings
	s.Secret = ""
	return s
}

// Callback is the address to which the provider sends browsers back; the provider has to know it.
func (p *Provider) Callback() string { return p.publicAddress() + CallbackPath }

// flow is a sign-in under way, as its browser keeps it, sealed.
type flow struct {
	State, Nonce, Verifier string
	To                     string // the page that follows
	Test                   bool
	Until                  time.Time
}

// sealedFor says what a flow is sealed for.
const sealedFor = "sign-in under way"

// Begin gives the provider's address to send a browser to, and what that browser has to show when it comes back, good until a time. to is the
// page that follows; test only shows what the provider says. CodeUnavailable when the provider does not answer.
func (p *Provider) Begin(ctx context.Context, to string, test bool) (address, kept string, until time.Time, err error) {
	known, err := p.discover(ctx)
	if err != nil {
		return "", "", until, err
	}
	f := flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: to, Test: test, Until: p.now().Add(flowLife).Truncate(time.Second)}
	text, err := json.Marshal(f)
	if err != nil {
		return "", "", until, fmt.Errorf("keeping a sign-in: %w", err)
	}
	kept = base64.RawURLEncoding.EncodeToString(p.box.Seal(sealedFor, text))
	address = p.exchange(known).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	return address, kept, f.Until, nil
}

// exchange is how codes become tokens at the provider.
func (p *Provider) exchange(known *discovered) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.settings.ClientID, ClientSecret: p.settings.Secret, Endpoint: known.provider.Endpoint(), RedirectURL: p.Callback(), Scopes: p.settings.Scopes,
	}
}

// discover gives what the provider tells of itself. When it does not answer, what it told before is good.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	if known != nil && p.now().Sub(known.at) < rediscover {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.settings.Issuer)
	if err != nil {
		var other *oidc.IssuerMismatchError
		if errors.As(err, &other) {
			p.log.Error("the provider of single sign-on names itself differently; --oidc-issuer has to be exactly that", "issuer", p.settings.Issuer, "named", other.Discovered)
			return nil, farm.Errorf(farm.CodeUnavailable, "single sign-on is not set up correctly: the provider names itself differently; tell an administrator")
		}
		p.log.Warn("the provider of single sign-on did not answer", "issuer", p.settings.Issuer, "error", outbound.Cause(err))
		if known != nil {
			return known, nil
		}
		return nil, p.down()
	}
	now := func() time.Time { return p.now().Add(-skew) }
	fresh := &discovered{provider: provider, verifier: provider.Verifier(&oidc.Config{ClientID: p.settings.ClientID, Now: now}), at: p.now()}
	p.mu.Lock()
	p.known = fresh
	p.mu.Unlock()
	return fresh, nil
}

func (p *Provider) down() error {
	return farm.Errorf(farm.CodeUnavailable, "%s does not answer at the moment; try again in a few minutes, or sign in with a password if you have one", p.settings.Label)
}

// Return is what a browser brings back from the provider.
type Return struct {
	State, Code string
	Error       string // why there is no code, "" when there is one
	Issuer      string // who sends the browser back, "" when that is not said
	Kept        string // what Begin gave the browser to keep
}

var errOver = farm.Errorf(farm.CodeGone, "this sign-in was begun in another browser, has been used, or took too long; begin again")

// Arrival is somebody for whom the provider has vouched.
type Arrival struct {
	Visitor
	Use  command.UseCode // of the sign-in, which is used up with it
	To   string          // the page that follows
	Test bool            // what the provider says is only looked at
}

// Finish checks what a browser brings back, and gives who comes. CodeGone when it has not begun this sign-in, or too long ago; CodeUnauthorized
// when the provider lets nobody in or what it says is not valid; CodeUnavailable when it does not answer.
func (p *Provider) Finish(ctx context.Context, r Return) (Arrival, error) {
	f, err := p.begun(r)
	if err != nil {
		return Arrival{}, err
	}
	if r.Error != "" {
		return Arrival{}, p.denied(r.Error)
	}
	if r.Issuer != "" && r.Issuer != p.settings.Issuer {
		return Arrival{}, p.invalid("another issuer sent the browser back")
	}
	known, err := p.discover(ctx)
	if err != nil {
		return Arrival{}, err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, p.client), 2*askWithin)
	defer cancel()
	token, err := p.exchange(known).Exchange(ctx, r.Code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return Arrival{}, p.notExchanged(err)
	}
	visitor, err := p.visitor(ctx, known, token, f.Nonce)
	if err != nil {
		return Arrival{}, err
	}
	sum := sha256.Sum256([]byte("single sign-on " + f.State))
	use := command.UseCode{Hash: hex.EncodeToString(sum[:]), Until: f.Until, At: p.now()}
	return Arrival{Visitor: visitor, Use: use, To: f.To, Test: f.Test}, nil
}

// begun is the sign-in that a browser has begun here.
func (p *Provider) begun(r Return) (f flow, err error) {
	if len(r.Kept) > returnLimit || len(r.State) > returnLimit || len(r.Code) > returnLimit {
		return f, errOver
	}
	sealed, err := base64.RawURLEncoding.DecodeString(r.Kept)
	if err != nil {
		return f, errOver
	}
	text, err := p.box.Open(sealedFor, sealed)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return flow{}, errOver
	}
	if subtle.ConstantTimeCompare([]byte(f.State), []byte(r.State)) != 1 || !p.now().Before(f.Until) {
		return flow{}, errOver
	}
	return f, nil
}

// denied says why the provider sent somebody back without a code. The text comes from the address, so only codes of the standard are told.
func (p *Provider) denied(code string) error {
	switch code {
	case "access_denied", "login_required", "interaction_required", "consent_required", "account_selection_required":
		return farm.Errorf(farm.CodeUnauthorized, "%s did not sign you in; try again, or ask an administrator of your accounts", p.settings.Label)
	case "temporarily_unavailable", "server_error":
		return p.down()
	}
	p.log.Error("the provider of single sign-on refused what the farm asked for", "code", fmt.Sprintf("%.60q", code))
	return farm.Errorf(farm.CodeUnavailable, "single sign-on is not set up correctly: the provider refuses what the farm asks for; tell an administrator")
}

// notExchanged says why a code did not become a token. What the provider answered is not told: it may hold what belongs to the person.
func (p *Provider) notExchanged(err error) error {
	var answered *oauth2.RetrieveError
	if !errors.As(err, &answered) {
		p.log.Warn("the provider of single sign-on gave no token", "error", outbound.Cause(err))
		return p.down()
	}
	status := 0
	if answered.Response != nil {
		status = answered.Response.StatusCode
	}
	p.log.Warn("the provider of single sign-on gave no token", "status", status, "code", fmt.Sprintf("%.60q", answered.ErrorCode))
	if status >= http.StatusInternalServerError {
		return p.down()
	}
	return farm.Errorf(farm.CodeUnauthorized, "%s did not confirm this sign-in; begin again, and tell an administrator if that does not help", p.settings.Label)
}

// invalid is for what a provider must not say. The log says what was wrong.
func (p *Provider) invalid(why string) error {
	p.log.Warn("what the provider of single sign-on said is not valid", "why", why)
	return farm.Errorf(farm.CodeUnauthorized, "what %s said is not valid, so nobody was signed in; begin again, and tell an administrator if that does not help", p.settings.Label)
}

// bounded reads no more of each answer than it may have.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, answerLimit)
	}
	return resp, err
}

// CloseIdleConnections is called by http.Client.
func (b bounded) CloseIdleConnections() {
	if t, ok := b.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}
