package notary_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"overcrank/installers/macos/notary"
)

// apple is a double of Apple's notary service and of the storage behind it: it answers as developer.apple.com/documentation/notaryapi says.
type apple struct {
	t        *testing.T
	public   *ecdsa.PublicKey
	verdict  string // what it says the second time that it is asked
	url      string
	uploaded []byte
	promised string // the checksum that the submission named
	asked    atomic.Int32
}

func (a *apple) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/bucket/prod/object":
		a.take(w, r)
	case r.URL.Path == "/log" && r.Header.Get("Authorization") == "":
		_, _ = io.WriteString(w, `{"issues":[{"message":"The binary is not signed."}]}`)
	case !a.knows(r.Header.Get("Authorization")):
		http.Error(w, "Unauthenticated", http.StatusUnauthorized)
	case r.Method == http.MethodPost && r.URL.Path == "/notary/v2/submissions":
		var question struct{ SubmissionName, Sha256 string }
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil || question.SubmissionName != "agent.pkg" {
			a.t.Errorf("submitted: %+v, %v", question, err)
		}
		a.promised = question.Sha256
		_, _ = io.WriteString(w, `{"data":{"type":"newSubmissions","id":"2efe2717","attributes":{"awsAccessKeyId":"ASIA","awsSecretAccessKey":"key",`+
			`"awsSessionToken":"session","bucket":"bucket","object":"prod/object"}},"meta":{}}`)
	case r.URL.Path == "/notary/v2/submissions/2efe2717":
		status := a.verdict
		if a.asked.Add(1) == 1 {
			status = "In Progress"
		}
		_, _ = fmt.Fprintf(w, `{"data":{"id":"2efe2717","type":"submissions","attributes":{"status":%q,"name":"agent.pkg","createdDate":"2026-01-02T03:04:05.000Z"}}}`, status)
	case r.URL.Path == "/notary/v2/submissions/2efe2717/logs":
		_, _ = fmt.Fprintf(w, `{"data":{"id":"2efe2717","type":"submissionsLog","attributes":{"developerLogUrl":"%s/log"}}}`, a.url)
	default:
		http.NotFound(w, r)
	}
}

func (a *apple) take(w http.ResponseWriter, r *http.Request) {
	by := r.Header.Get("Authorization")
	if r.Method != http.MethodPut || !strings.HasPrefix(by, "AWS4-HMAC-SHA256 Credential=ASIA/") || !strings.Contains(by, "/us-west-2/s3/") ||
		r.Header.Get("X-Amz-Security-Token") != "session" {
		http.Error(w, "<Error><Code>AccessDenied</Code></Error>", http.StatusForbidden)
		return
	}
	a.uploaded, _ = io.ReadAll(r.Body)
	w.Header().Set("ETag", `"x"`)
}

// knows checks a token as App Store Connect describes it.
func (a *apple) knows(authorization string) bool {
	claims := jwt.MapClaims{}
	token, err := jwt.ParseWithClaims(strings.TrimPrefix(authorization, "Bearer "), claims, func(*jwt.Token) (any, error) { return a.public, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithAudience("appstoreconnect-v1"), jwt.WithIssuer("issuer"), jwt.WithExpirationRequired())
	return err == nil && token.Header["kid"] == "KEY1234567"
}

func start(t *testing.T, verdict string) (*apple, *notary.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := notary.ParseKey("issuer", "KEY1234567", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	if err != nil {
		t.Fatal(err)
	}
	double := &apple{t: t, public: &private.PublicKey, verdict: verdict}
	server := httptest.NewTLSServer(double)
	t.Cleanup(server.Close)
	double.url = server.URL
	return double, &notary.Client{Key: key, Service: server.URL + "/notary/v2", Storage: server.URL, Poll: time.Millisecond, HTTP: server.Client()}
}

func TestAPackageIsAccepted(t *testing.T) {
	t.Parallel()
	double, client := start(t, "Accepted")
	pkg := bytes.Repeat([]byte("package "), 100_000)
	id, err := client.Notarize(t.Context(), "agent.pkg", pkg)
	if err != nil || id != "2efe2717" {
		t.Fatalf("%q, %v", id, err)
	}
	if sum := sha256.Sum256(pkg); double.promised != hex.EncodeToString(sum[:]) || !bytes.Equal(double.uploaded, pkg) {
		t.Errorf("%d bytes arrived of %d", len(double.uploaded), len(pkg))
	}
	if double.asked.Load() != 2 {
		t.Errorf("asked %d times", double.asked.Load())
	}
}

func TestAPackageIsRefused(t *testing.T) {
	t.Parallel()
	_, client := start(t, "Invalid")
	_, err := client.Notarize(t.Context(), "agent.pkg", []byte("package"))
	if !errors.Is(err, notary.ErrRefused) || !strings.Contains(err.Error(), "The binary is not signed.") {
		t.Errorf("the error does not quote the service's log: %v", err)
	}
}

func TestAKeyThatTheServiceDoesNotKnow(t *testing.T) {
	t.Parallel()
	_, client := start(t, "Accepted")
	client.Key.ID = "OTHER"
	if _, err := client.Notarize(t.Context(), "agent.pkg", []byte("package")); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("%v", err)
	}
	if _, err := notary.ParseKey("issuer", "id", []byte("no key")); err == nil {
		t.Error("no key was taken as one")
	}
}

func TestWaitingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	double, client := start(t, "In Progress")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil && double.asked.Load() < 2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := client.Notarize(ctx, "agent.pkg", []byte("package")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
