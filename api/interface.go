package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/openapi"
	"overcrank/coordinator"
)

// pathInterface is where the interface stands in machine form.
const pathInterface = "/api/openapi.json"

// interfaceDocument is the served document and the tag of its content.
type interfaceDocument struct {
	body []byte
	tag  string
}

func makeInterface(address, version string) (interfaceDocument, error) {
	d, err := openapi.Load()
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

// getInterface gives the OpenAPI document of this farm to anyone, also to programs in a browser.
func (s *server) getInterface(c *fiber.Ctx) error {
	d, err := s.document()
	if err != nil {
		return fmt.Errorf("the interface's document: %w", err)
	}
	c.Set(fiber.HeaderAccessControlAllowOrigin, "*")
	f := &coordinator.File{ReadSeekCloser: openDocument{bytes.NewReader(d.body)}, Name: "openapi.json", Size: int64(len(d.body)), ETag: d.tag}
	return ServeFile(c, f, FileOptions{ContentType: fiber.MIMEApplicationJSONCharsetUTF8, CacheControl: "public, max-age=300"})
}
