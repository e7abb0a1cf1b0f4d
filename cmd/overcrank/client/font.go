package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
)

// Font is a font of the team's library.
type Font struct {
	Raw        `json:"-"`
	ID         string `json:"id"`
	FamilyName string `json:"familyName"`
	FileName   string `json:"fileName"` // by which jobs name it
	CreatedAt  string `json:"createdAt"`
	CopyOf     string `json:"copyOf"` // the PostScript name of the font that stands in here for another, "" for one that was added
}

// StandIn is for which font another one is to stand in.
type StandIn struct {
	Name string `json:"name"`           // that text or jobs give the font which the library lacks
	Face string `json:"face,omitempty"` // the PostScript name of the face that stands in; "" for a font's only one
}

// IDAndName are what people name it by on the command line.
func (f Font) IDAndName() (id, name string) { return f.ID, f.FileName }

// Fonts lists the fonts.
func (c *Client) Fonts(ctx context.Context) (List[Font], error) {
	return list[Font](ctx, c, "/api/v2/fonts", nil)
}

// Font gets one font.
func (c *Client) Font(ctx context.Context, id string) (Font, error) {
	return fetch[Font](ctx, c, http.MethodGet, at("/api/v2/fonts/%s", id), nil, nil)
}

// AddFont adds the font file at path to the library.
func (c *Client) AddFont(ctx context.Context, path string, report Progress) (Font, error) {
	var font Font
	r, err := withFile(request{method: http.MethodPost, path: "/api/v2/fonts"}, path, report)
	if err != nil {
		return font, err
	}
	if r, err = asForm(r, "font", filepath.Base(path)); err != nil {
		return font, err
	}
	if err := c.answer(ctx, r, &font); err != nil {
		return font, fmt.Errorf("add font %s: %w", path, err)
	}
	return font, nil
}

// StandIn has a font stand in for one that the library lacks, and gives the copy.
func (c *Client) StandIn(ctx context.Context, id string, wish StandIn) (Font, error) {
	return fetch[Font](ctx, c, http.MethodPost, at("/api/farm/v1/fonts/%s/stand-ins", id), nil, wish)
}

// DeleteFont deletes a font.
func (c *Client) DeleteFont(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, at("/api/v2/fonts/%s", id))
}

// asForm wraps the body of a request into a form with one file, which is still streamed.
func asForm(r request, field, fileName string) (request, error) {
	var before bytes.Buffer
	form := multipart.NewWriter(&before)
	if _, err := form.CreateFormFile(field, fileName); err != nil {
		return r, err
	}
	return inForm(r, form, &before), nil
}

// inForm puts the body of a request behind what was written of a form so far, and ends the form.
func inForm(r request, form *multipart.Writer, before *bytes.Buffer) request {
	head, after, open := bytes.Clone(before.Bytes()), []byte("\r\n--"+form.Boundary()+"--\r\n"), r.open
	r.header.Set("Content-Type", form.FormDataContentType())
	r.size += int64(len(head) + len(after))
	r.open = func() (io.ReadCloser, error) {
		body, err := open()
		if err != nil {
			return nil, err
		}
		return framed{io.MultiReader(bytes.NewReader(head), body, bytes.NewReader(after)), body}, nil
	}
	return r
}

// framed reads more than what it closes.
type framed struct {
	io.Reader
	io.Closer
}
