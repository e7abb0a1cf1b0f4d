package coordinator

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"

	"overcrank/farm"
)

// addressLife is how long a signed address works.
const addressLife = time.Hour

// What a signed address allows. The mark beside it is the upload's nonce, or the hash of the file to give.
const (
	opPut = "put"
	opGet = "get"
)

const templatesPath = "/files/templates/"

// Now is the farm's time, by which addresses and links end.
func (c *Coordinator) Now() time.Time { return c.cfg.Now() }

// UploadAddress is the signed address at which a template takes its file by PUT, and DownloadAddress the one that gives it.
// Both are paths below the public address: /files/templates/<id>?…signature…
func (c *Coordinator) UploadAddress(t farm.Template) string {
	return c.signedAddress(opPut, t.ID, t.UploadNonce, t.UploadUntil)
}

// DownloadAddress is the signed address that gives a template's file for an hour.
func (c *Coordinator) DownloadAddress(ctx context.Context, p farm.Principal, id string) (string, error) {
	t, err := c.Template(ctx, p, id)
	if err != nil {
		return "", err
	}
	if t.File == nil {
		return "", farm.Errorf(farm.CodeGone, "template %q has no file: it is %s", t.DisplayName, t.Status)
	}
	return c.signedAddress(opGet, t.ID, t.File.SHA256, c.cfg.Now().Add(addressLife)), nil
}

func (c *Coordinator) signedAddress(op, id, mark string, until time.Time) string {
	expires := strconv.FormatInt(until.Unix(), 10)
	q := url.Values{"op": {op}, "mark": {mark}, "expires": {expires}, "signature": {c.sign(op, id, mark, expires)}}
	return c.PublicAddress() + templatesPath + url.PathEscape(id) + "?" + q.Encode()
}

func (c *Coordinator) sign(parts ...string) string {
	mac := hmac.New(sha256.New, c.SigningKey("addresses"))
	mac.Write([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// checkAddress gives the mark of a signed address, if the signature is ours, for op, and in force.
func (c *Coordinator) checkAddress(op, id, query string) (mark string, err error) {
	q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return "", farm.Errorf(farm.CodeForbidden, "this address is damaged: its signature cannot be read")
	}
	mark, expires := q.Get("mark"), q.Get("expires")
	if q.Get("op") != op || !hmac.Equal([]byte(q.Get("signature")), []byte(c.sign(op, id, mark, expires))) {
		return "", farm.Errorf(farm.CodeForbidden, "this address is damaged: its signature does not fit")
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || c.cfg.Now().Unix() >= until {
		return "", errAddressExpired
	}
	return mark, nil
}

var errAddressExpired = farm.Errorf(farm.CodeGone,
	"this address has expired; PUT /api/v2/templates/{id}/upload gives a fresh one for uploading, GET …/download one for downloading")
