package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/openapi"
	"overcrank/coordinator/files"
)

// interfaceDocument is the served document and the tag of its content.
type interfaceDocument struct {
	body []byte
	tag  string
}

func makeInterface(load func() (openapi.Document, error), address, version string) (interfaceDocument, error) {
	d, err := load()
	if err != nil {
		return interfaceDocument{}, err
	}
	body, err := d.JSON(address, version)
	if err != nil {
		return interfaceDocument{}, err
	}
	sum := sha256.Sum256(body)
	return interfaceDocument{body: body, tag: hex.EncodeToString(sum[:16])}, nil
}

// openDocument lets the file handler serve bytes in memory.
type openDocument struct{ *bytes.Reader }

// Close implements io.Closer.
func (openDocument) Close() error { return nil }

// giveInterface gives an OpenAPI document of this farm to anyone, also to programs in a browser. It is made when it is first
// asked for.
func (s *server) giveInterface(load func() (openapi.Document, error)) fiber.Handler {
	document := sync.OnceValues(func() (interfaceDocument, error) { return makeInterface(load, s.farm.publicAddress(), s.version) })
	return func(c *fiber.Ctx) error {
		d, err := document()
		if err != nil {
			return fmt.Errorf("the interface's document: %w", err)
		}
		c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
		f := &files.File{ReadSeekCloser: openDocument{bytes.NewReader(d.body)}, Name: "openapi.json", Size: int64(len(d.body)), ETag: d.tag}
		return answer.File(c, f, answer.FileOptions{ContentType: fiber.MIMEApplicationJSONCharsetUTF8, CacheControl: "public, max-age=300"})
	}
}
