package templates

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

// AddressLife is how long a signed address works.
const AddressLife = time.Hour

// What a signed address allows. The mark beside it is the upload's nonce, or the hash of the file to give.
const (
	opPut = "put"
	opGet = "get"
)

const addressPath = "/files/templates/"

var errAddressExpired = farm.Errorf(farm.CodeGone,
	"this address has expired; PUT /api/v2/templates/{id}/upload gives a fresh one for uploading, GET …/download one for downloading")

// UploadAddress is the signed address at which a template takes its file by PUT: the farm's public address with
// /files/templates/<id>?…signature…
func (c *Catalog) UploadAddress(t farm.Template) string {
	return c.signedAddress(opPut, t.ID, t.UploadNonce, t.UploadUntil)
}

// DownloadAddress is the signed address that gives a template's file for an hour.
func (c *Catalog) DownloadAddress(ctx context.Context, p farm.Principal, id string) (string, error) {
	t, err := c.Get(ctx, p, id)
	if err != nil {
		return "", err
	}
	if t.File == nil {
		return "", farm.Errorf(farm.CodeGone, "template %q has no file: it is %s", t.DisplayName, t.Status)
	}
	return c.signedAddress(opGet, t.ID, t.File.SHA256, c.state.Now().Add(AddressLife)), nil
}

func (c *Catalog) signedAddress(op, id, mark string, until time.Time) string {
	expires := strconv.FormatInt(until.Unix(), 10)
	q := url.Values{"op": {op}, "mark": {mark}, "expires": {expires}, "signature": {c.sign(op, id, mark, expires)}}
	return c.farm.PublicAddress() + addressPath + url.PathEscape(id) + "?" + q.Encode()
}

func (c *Catalog) sign(parts ...string) string {
	mac := hmac.New(sha256.New, c.cfg.SigningKey)
	mac.Write([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(mac.Sum(nil))
}

// checkAddress gives the mark of a signed address, if the signature is ours, for op, and in force.
func (c *Catalog) checkAddress(op, id, query string) (mark string, err error) {
	q, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		return "", farm.Errorf(farm.CodeForbidden, "this address is damaged: its signature cannot be read")
	}
	mark, expires := q.Get("mark"), q.Get("expires")
	if q.Get("op") != op || !hmac.Equal([]byte(q.Get("signature")), []byte(c.sign(op, id, mark, expires))) {
		return "", farm.Errorf(farm.CodeForbidden, "this address is damaged: its signature does not fit")
	}
	until, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || c.state.Now().Unix() >= until {
		return "", errAddressExpired
	}
	return mark, nil
}
