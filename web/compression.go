package web

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
)

// smallest is the length of text, in bytes, below which compressing it saves no packet.
const smallest = 1024

// compression sends text in less, to browsers that can read that.
type compression struct {
	files   sync.Map  // of packing, by name
	writers sync.Pool // of *gzip.Writer
}

// page compresses a page, quickly.
func (z *compression) page(c *fiber.Ctx) error {
	c.Vary(fiber.HeaderAcceptEncoding)
	body := c.Response().Body()
	if len(body) < smallest || !c.Request().Header.HasAcceptEncoding("gzip") {
		return nil
	}
	w, ok := z.writers.Get().(*gzip.Writer)
	if !ok {
		w = gzip.NewWriter(nil)
	}
	defer z.writers.Put(w)
	out := bytes.NewBuffer(make([]byte, 0, len(body)/4))
	w.Reset(out)
	if err := write(w, body); err != nil {
		return fmt.Errorf("compress a page: %w", err)
	}
	c.Response().SetBodyRaw(out.Bytes())
	c.Set(fiber.HeaderContentEncoding, "gzip")
	return nil
}

// A packing is one of the dashboard's own files, compressed as far as it can be, in the two forms that browsers read.
type packing struct{ brotli, gzip []byte }

// file sends a text that never changes. It is compressed when somebody asks for it first.
func (z *compression) file(c *fiber.Ctx, name string, body []byte) error {
	known, _ := z.files.LoadOrStore(name, sync.OnceValues(func() (packing, error) { return pack(body) }))
	f, err := known.(func() (packing, error))()
	if err != nil {
		return fmt.Errorf("compress %s: %w", name, err)
	}
	c.Vary(fiber.HeaderAcceptEncoding)
	switch asked := &c.Request().Header; {
	case asked.HasAcceptEncoding("br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		return c.Send(f.brotli)
	case asked.HasAcceptEncoding("gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(f.gzip)
	}
	return c.Send(body)
}

func pack(body []byte) (packing, error) {
	var small, common bytes.Buffer
	w, err := gzip.NewWriterLevel(&common, gzip.BestCompression)
	if err != nil {
		return packing{}, err
	}
	if err := write(w, body); err != nil {
		return packing{}, err
	}
	err = write(brotli.NewWriterLevel(&small, brotli.BestCompression), body)
	return packing{brotli: small.Bytes(), gzip: common.Bytes()}, err
}

// write writes all of body, and ends w.
func write(w io.WriteCloser, body []byte) error {
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}
