// Package notary has packages notarized: it gives them to Apple's notary service and waits for what that says. The interface is the one of
// developer.apple.com/documentation/notaryapi.
package notary

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Where Apple's service and the storage that it takes uploads in are.
const (
	Service = "https://appstoreconnect.apple.com/notary/v2"
	Storage = "https://s3.us-west-2.amazonaws.com"
	region  = "us-west-2"
)

const (
	tokenLife = 15 * time.Minute // 20 minutes are the most that the service takes
	maxAnswer = 4 << 20
)

// ErrRefused is wrapped by the error for a package that Apple looked at and did not accept; the error quotes its log.
var ErrRefused = errors.New("the package was refused by Apple")

// Key is a key of App Store Connect with access to the notary service.
type Key struct {
	Issuer  string // the studio's issuer id, a UUID
	ID      string // the key's id, ten characters
	Private *ecdsa.PrivateKey
}

// ParseKey takes the key's .p8 file as App Store Connect gives it out.
func ParseKey(issuer, id string, p8 []byte) (Key, error) {
	private, err := jwt.ParseECPrivateKeyFromPEM(p8)
	if err != nil {
		return Key{}, fmt.Errorf("read the notary service's key: %w", err)
	}
	return Key{Issuer: issuer, ID: id, Private: private}, nil
}

// Client asks the service.
type Client struct {
	Key     Key
	Service string // Service unless set
	Storage string // Storage unless set
	// Poll is the pause between two questions whether the package has been looked at; ten seconds unless set.
	Poll time.Duration
	HTTP *http.Client // http.DefaultClient unless set
}

// Notarize hands a package over and returns once Apple has accepted it, which takes some minutes. It returns the submission's id, also with
// an error when there is one already.
func (c *Client) Notarize(ctx context.Context, name string, pkg []byte) (id string, err error) {
	sum := sha256.Sum256(pkg)
	var begun struct {
		Data struct {
			ID         string
			Attributes struct{ AwsAccessKeyID, AwsSecretAccessKey, AwsSessionToken, Bucket, Object string }
		}
	}
	question := map[string]string{"submissionName": name, "sha256": hex.EncodeToString(sum[:])}
	if err := c.ask(ctx, http.MethodPost, "/submissions", question, &begun); err != nil {
		return "", fmt.Errorf("submit %s to the notary service: %w", name, err)
	}
	at := begun.Data.Attributes
	if begun.Data.ID == "" || at.Bucket == "" || at.Object == "" {
		return "", fmt.Errorf("submit %s to the notary service: its answer does not say where to upload", name)
	}
	to := credentials.NewStaticV4(at.AwsAccessKeyID, at.AwsSecretAccessKey, at.AwsSessionToken)
	if err := c.upload(ctx, to, at.Bucket, at.Object, pkg); err != nil {
		return begun.Data.ID, fmt.Errorf("upload %s to the notary service: %w", name, err)
	}
	return begun.Data.ID, c.await(ctx, begun.Data.ID)
}

func (c *Client) upload(ctx context.Context, to *credentials.Credentials, bucket, object string, pkg []byte) error {
	address, err := url.Parse(or(c.Storage, Storage))
	if err != nil {
		return err
	}
	storage, err := minio.New(address.Host, &minio.Options{
		Creds: to, Secure: address.Scheme == "https", Region: region, Transport: c.http().Transport,
	})
	if err != nil {
		return err
	}
	_, err = storage.PutObject(ctx, bucket, object, bytes.NewReader(pkg), int64(len(pkg)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	return err
}

// await asks until the service has made up its mind.
func (c *Client) await(ctx context.Context, id string) error {
	pause := c.Poll
	if pause == 0 {
		pause = 10 * time.Second
	}
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	for {
		var state struct {
			Data struct{ Attributes struct{ Status string } }
		}
		if err := c.ask(ctx, http.MethodGet, "/submissions/"+url.PathEscape(id), nil, &state); err != nil {
			return fmt.Errorf("ask the notary service about %s: %w", id, err)
		}
		switch status := state.Data.Attributes.Status; status {
		case "Accepted":
			return nil
		case "In Progress":
		default:
			return fmt.Errorf("%w: %s is %q: %s", ErrRefused, id, status, c.log(ctx, id))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the notary service, which still looks at %s: %w", id, ctx.Err())
		case <-ticks.C:
		}
	}
}

// log is what the service wrote about a submission, or why there is no more to say.
func (c *Client) log(ctx context.Context, id string) string {
	var where struct {
		Data struct {
			Attributes struct {
				DeveloperLogURL string `json:"developerLogUrl"`
			}
		}
	}
	if err := c.ask(ctx, http.MethodGet, "/submissions/"+url.PathEscape(id)+"/logs", nil, &where); err != nil {
		return err.Error()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.Data.Attributes.DeveloperLogURL, nil)
	if err != nil {
		return err.Error()
	}
	text, err := c.do(request) // signed for whoever has the address: without our token
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (c *Client) ask(ctx context.Context, method, path string, question, answer any) error {
	var body io.Reader
	if question != nil {
		text, err := json.Marshal(question)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, or(c.Service, Service)+path, body)
	if err != nil {
		return err
	}
	token, err := c.Key.token(time.Now())
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	text, err := c.do(request)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("its answer: %w", err)
	}
	return nil
}

func (c *Client) do(request *http.Request) ([]byte, error) {
	response, err := c.http().Do(request)
	if err != nil {
		var asked *url.Error
		if errors.As(err, &asked) {
			err = asked.Err // its address may be signed, and so a secret
		}
		return nil, fmt.Errorf("%s: %w", request.URL.Host, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: %s", request.URL.Host, response.Status, bytes.TrimSpace(text))
	}
	return text, nil
}

func (c *Client) http() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return http.DefaultClient
}

// token is what the service knows the studio by, as App Store Connect wants it.
func (k Key) token(now time.Time) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"iss": k.Issuer, "iat": now.Unix(), "exp": now.Add(tokenLife).Unix(), "aud": "appstoreconnect-v1", "scope": []string{"/notary/v2"},
	})
	token.Header["kid"] = k.ID
	text, err := token.SignedString(k.Private)
	if err != nil {
		return "", fmt.Errorf("sign in to the notary service: %w", err)
	}
	return text, nil
}

func or(set, otherwise string) string {
	if set != "" {
		return set
	}
	return otherwise
}
