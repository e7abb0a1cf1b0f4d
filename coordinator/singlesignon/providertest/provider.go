// Package providertest is a provider of single sign-on for tests: a real one, with discovery, keys and signed tokens over HTTP, that lets everybody in
// whom a test names, and misbehaves to order.
package providertest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"overcrank/coordinator/singlesignon"
)

// Provider lets people in who are named by Next.
type Provider struct {
	*mockoidc.MockOIDC
	t testing.TB

	mu     sync.Mutex
	forged bool
	silent chan struct{} // closed when it answers again; nil while it answers
}

// Person is somebody whom the provider knows.
type Person struct {
	Subject string
	// Claims are what the id token says beside, or in the place of, what it has to say.
	Claims map[string]any
	// Told are claims that the provider tells only when it is asked once more.
	Told map[string]any
}

// ID is called by the provider.
func (p Person) ID() string { return p.Subject }

// Userinfo is called by the provider.
func (p Person) Userinfo([]string) ([]byte, error) {
	all := map[string]any{"sub": p.Subject}
	maps.Copy(all, p.Told)
	return json.Marshal(all)
}

func (p Person) claims(base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	text, err := json.Marshal(base)
	if err != nil {
		return nil, err
	}
	all := jwt.MapClaims{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	maps.Copy(all, p.Claims)
	return all, nil
}

type user struct{ Person }

// Claims is called by the provider.
func (u user) Claims(_ []string, base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	return u.claims(base)
}

// Start starts a provider, until the test ends.
func Start(t testing.TB) *Provider {
	t.Helper()
	m, err := mockoidc.NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Keypair.KeyID(); err != nil { // which it keeps, and requests read at the same time
		t.Fatal(err)
	}
	p := &Provider{MockOIDC: m, t: t}
	if err := m.AddMiddleware(p.misbehave); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Start(listener, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Answer()
		_ = m.Server.Close()
	})
	return p
}

// Settings are those of a farm that this provider knows.
func (p *Provider) Settings() singlesignon.Settings {
	return singlesignon.Settings{
		Issuer: p.Issuer(), ClientID: p.ClientID, Secret: p.ClientSecret, Scopes: []string{"openid", "profile", "email", "groups"}, GroupsClaim: "groups", Label: "Studio account",
	}
}

// Next lets somebody in as the next one who comes.
func (p *Provider) Next(person Person) { p.QueueUser(user{person}) }

// Forge has tokens signed by a key that is not the provider's, under the name of the one that is.
func (p *Provider) Forge(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forged = on
}

// Hang has the provider answer nothing until Answer is called.
func (p *Provider) Hang() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.silent = make(chan struct{})
}

// Answer ends what Hang began.
func (p *Provider) Answer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent != nil {
		close(p.silent)
		p.silent = nil
	}
}

func (p *Provider) misbehave(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		forged, silent := p.forged, p.silent
		p.mu.Unlock()
		if silent != nil {
			select {
			case <-silent:
			case <-r.Context().Done():
			}
			return
		}
		if !forged || r.URL.Path != mockoidc.TokenEndpoint {
			next.ServeHTTP(w, r)
			return
		}
		real := httptest.NewRecorder()
		next.ServeHTTP(real, r)
		p.answerForged(w, real)
	})
}

// answerForged answers what the provider would, with a token that another key has signed.
func (p *Provider) answerForged(w http.ResponseWriter, real *httptest.ResponseRecorder) {
	var answer map[string]any
	if real.Code != http.StatusOK || json.Unmarshal(real.Body.Bytes(), &answer) != nil {
		w.WriteHeader(real.Code)
		_, _ = w.Write(real.Body.Bytes())
		return
	}
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(answer["id_token"].(string), claims); err != nil {
		p.t.Error(err)
		return
	}
	key, err := mockoidc.RandomKeypair(2048)
	if err == nil {
		key.Kid, err = p.Keypair.KeyID()
	}
	if err == nil {
		answer["id_token"], err = key.SignJWT(claims)
	}
	text, encoded := json.Marshal(answer)
	if err != nil || encoded != nil {
		p.t.Error(err, encoded)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = bytes.NewReader(text).WriteTo(w)
}

// Visit sends a browser's request to the provider, and gives the address that it sends the browser back to.
func (p *Provider) Visit(address string) string {
	p.t.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer c.CloseIdleConnections()
	resp, err := c.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	_ = resp.Body.Close()
	to := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusFound || !strings.HasPrefix(to, "http") {
		p.t.Fatalf("the provider answered %d and %q", resp.StatusCode, to)
	}
	return to
}
