package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"

	"overcrank/farm"
)

// Template is a template as the interface shows it. Lists of version 3 leave Compositions, Layers, Mogrt and Error empty.
type Template struct {
	Raw          `json:"-"`
	ID           string              `json:"id"`
	Type         string              `json:"type"` // aep, zip or mogrt
	DisplayName  string              `json:"displayName"`
	Status       farm.TemplateStatus `json:"status"`
	CreatedAt    string              `json:"createdAt"`
	UpdatedAt    string              `json:"updatedAt"`
	Compositions []string            `json:"compositions"`
	Layers       []string            `json:"layers"`
	Mogrt        *Panel              `json:"mogrt"`
	Error        string              `json:"error"`
	UploadInfo   *UploadInfo         `json:"uploadInfo"`
	// MissingFootage names files that each job has to bring; Waits says why the file has not been read yet, when somebody has to act.
	MissingFootage []string `json:"missingFootage"`
	Waits          string   `json:"waits"`
}

// IDAndName are what people name it by on the command line.
func (t Template) IDAndName() (id, name string) { return t.ID, t.DisplayName }

// Settled tells whether the farm has done with the template's file, for better or worse.
func (t Template) Settled() bool {
	return t.Status == "uploaded" || t.Status == "error" || t.Status == "inactive"
}

// Panel is the panel of a motion graphics template.
type Panel struct {
	Name   string  `json:"name"`
	Fields []Field `json:"fields"`
}

// Field is a field of a panel.
type Field struct {
	Name  string          `json:"name"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// UploadInfo says where a template takes its file.
type UploadInfo struct {
	URL    string            `json:"url"`
	Method string            `json:"method"`
	Fields map[string]string `json:"fields"`
}

// Composition is a composition of a template, from version 3.
type Composition struct {
	AEID      string  `json:"aeid"`
	Name      string  `json:"name"`
	Width     float64 `json:"width"`  // pixels
	Height    float64 `json:"height"` // pixels
	Duration  float64 `json:"duration"`
	FrameRate float64 `json:"frame_rate"`
	Data      struct {
		Root bool `json:"root"` // not used as a layer anywhere
	} `json:"data"`
}

// Layer is a layer of a template, from version 3.
type Layer struct {
	CompositionID uint32  `json:"composition_id"` // the composition's aeid, as a number
	AEID          uint32  `json:"aeid"`
	Name          string  `json:"name"`
	InPoint       float64 `json:"in_point"`  // seconds
	OutPoint      float64 `json:"out_point"` // seconds
	LayerType     string  `json:"layer_type"`
	SourceType    string  `json:"source_type"` // file, comp, solid or ""
	Data          struct {
		Text  string   `json:"text"`
		Fonts []string `json:"fonts"`
		Media string   `json:"media"` // of a file: image, video, audio or data
	} `json:"data"`
}

// largestPage is how many compositions or layers one answer holds at most.
const largestPage = 1000

// Templates lists all templates, from version 3.
func (c *Client) Templates(ctx context.Context) (List[Template], error) {
	return list[Template](ctx, c, "/api/v3/templates", nil)
}

// Template gets one template.
func (c *Client) Template(ctx context.Context, id string) (Template, error) {
	return fetch[Template](ctx, c, http.MethodGet, at("/api/v2/templates/%s", id), nil, nil)
}

// Compositions lists the compositions of a template.
func (c *Client) Compositions(ctx context.Context, id string) (List[Composition], error) {
	return counted[Composition](ctx, c, at("/api/v3/templates/%s/compositions", id))
}

// Layers lists the layers of a template's compositions.
func (c *Client) Layers(ctx context.Context, id string) (List[Layer], error) {
	return counted[Layer](ctx, c, at("/api/v3/templates/%s/layers", id))
}

// counted gets all pages of a list that is paged by limit and offset.
func counted[T any](ctx context.Context, c *Client, path string) (List[T], error) {
	var all List[T]
	var texts []json.RawMessage
	for {
		query := url.Values{"limit": {strconv.Itoa(largestPage)}, "offset": {strconv.Itoa(len(all.Items))}}
		page, err := list[T](ctx, c, path, query)
		if err != nil {
			return all, err
		}
		if len(all.Items) == 0 && len(page.Items) < largestPage {
			return page, nil
		}
		var more []json.RawMessage
		if err := json.Unmarshal(page.text, &more); err != nil {
			return all, err
		}
		all.Items, texts = append(all.Items, page.Items...), append(texts, more...)
		if len(page.Items) < largestPage {
			all.text = joinTexts(texts)
			return all, nil
		}
	}
}

// CreateTemplate registers a template and sends the file at path for it. It gives the template as it is then.
func (c *Client) CreateTemplate(ctx context.Context, typ, displayName, path string, report Progress) (Template, error) {
	if isLarge(path) {
		kept, err := c.KeepFile(ctx, path, report)
		if err != nil {
			return Template{}, err
		}
		return c.CreateTemplateFrom(ctx, typ, displayName, kept.Src)
	}
	body := map[string]string{"type": typ, "displayName": displayName}
	t, err := fetch[Template](ctx, c, http.MethodPost, "/api/v2/templates", nil, body)
	if err != nil {
		return t, fmt.Errorf("register template: %w", err)
	}
	if t.UploadInfo == nil {
		return t, errors.New("register template: the farm's answer has no uploadInfo")
	}
	if err := c.UploadTemplate(ctx, *t.UploadInfo, path, report); err != nil {
		return t, err
	}
	return c.Template(ctx, t.ID)
}

// CreateTemplateFrom registers a template whose file the farm fetches itself.
func (c *Client) CreateTemplateFrom(ctx context.Context, typ, displayName, src string) (Template, error) {
	body := map[string]string{"type": typ, "displayName": displayName, "src": src}
	t, err := fetch[Template](ctx, c, http.MethodPost, "/api/v2/templates", nil, body)
	if err != nil {
		return t, fmt.Errorf("register template: %w", err)
	}
	return t, nil
}

// UploadTemplate sends the file at path to where a template takes it.
func (c *Client) UploadTemplate(ctx context.Context, to UploadInfo, path string, report Progress) error {
	header := http.Header{}
	for k, v := range to.Fields {
		header.Set(k, v)
	}
	r, err := withFile(request{method: to.Method, path: to.URL, header: header}, path, report)
	if err != nil {
		return err
	}
	if err := c.answer(ctx, r, nil); err != nil {
		return fmt.Errorf("upload %s: %w", filepath.Base(path), err)
	}
	return nil
}

// RenewUpload gets a fresh upload address for a template's file; earlier ones stop working.
func (c *Client) RenewUpload(ctx context.Context, id string) (UploadInfo, error) {
	return fetch[UploadInfo](ctx, c, http.MethodPut, at("/api/v2/templates/%s/upload", id), nil, nil)
}

// RenameTemplate gives a template another name.
func (c *Client) RenameTemplate(ctx context.Context, id, displayName string) (Template, error) {
	return fetch[Template](ctx, c, http.MethodPatch, at("/api/v2/templates/%s", id), nil, map[string]string{"displayName": displayName})
}

// TemplateMark is how a template's films are rendered.
type TemplateMark struct {
	Raw        `json:"-"`
	ID         string `json:"id"`
	Sequential bool   `json:"sequential"`
	RetiredAt  string `json:"retiredAt"`
	Version    int    `json:"version"` // of its file
}

// MarkTemplate says whether one machine renders each film of a template, from the first frame on.
func (c *Client) MarkTemplate(ctx context.Context, id string, sequential bool) (TemplateMark, error) {
	return fetch[TemplateMark](ctx, c, http.MethodPatch, at("/api/farm/v1/templates/%s", id), nil, map[string]bool{"sequential": sequential})
}

// TemplateMarks lists what the farm has been told of templates: of those in use, and of retired ones too when they are asked for.
func (c *Client) TemplateMarks(ctx context.Context, retired bool) (List[TemplateMark], error) {
	query := url.Values{}
	if retired {
		query.Set("retired", "true")
	}
	return list[TemplateMark](ctx, c, "/api/farm/v1/templates", query)
}

// RetireTemplate takes a template out of use, or brings it back.
func (c *Client) RetireTemplate(ctx context.Context, id string, retired bool) (TemplateMark, error) {
	return fetch[TemplateMark](ctx, c, http.MethodPatch, at("/api/farm/v1/templates/%s", id), nil, map[string]bool{"retired": retired})
}

// TemplateVersion is a version of a template.
type TemplateVersion struct {
	Version    int    `json:"version"`
	Current    bool   `json:"current"`
	Kept       bool   `json:"kept"` // the farm keeps its file, so that jobs can render it
	Bytes      int64  `json:"bytes"`
	SavedWith  string `json:"savedWith"`
	CreatedAt  string `json:"createdAt"`
	CreatedBy  string `json:"createdBy"`
	ReplacedAt string `json:"replacedAt"`
}

// TemplateVersions lists the versions of a template, the newest first.
func (c *Client) TemplateVersions(ctx context.Context, id string) (List[TemplateVersion], error) {
	return list[TemplateVersion](ctx, c, fmt.Sprintf("/api/farm/v1/templates/%s/versions", url.PathEscape(id)), nil)
}

// TakeVersion gives a template the file of an earlier version as its next one.
func (c *Client) TakeVersion(ctx context.Context, id string, version int) (TemplateMark, error) {
	return fetch[TemplateMark](ctx, c, http.MethodPatch, at("/api/farm/v1/templates/%s", id), nil, map[string]int{"version": version})
}

// AddedFile is a file that the farm keeps, and that a template lacks by that name.
type AddedFile struct {
	Name string `json:"name"`
	Src  string `json:"src"`
}

// CompleteTemplate puts files that a template lacks to what it has, which becomes its next version.
func (c *Client) CompleteTemplate(ctx context.Context, id string, files []AddedFile) (TemplateMark, error) {
	return fetch[TemplateMark](ctx, c, http.MethodPost, at("/api/farm/v1/templates/%s/footage", id), nil, map[string]any{"files": files})
}

// DeleteTemplate deletes a template and its file.
func (c *Client) DeleteTemplate(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, at("/api/v2/templates/%s", id))
}

// Address is where something can be downloaded, for a while.
type Address struct {
	Raw `json:"-"`
	URL string `json:"url"`
}

// TemplateAddress is where a template's file can be downloaded.
func (c *Client) TemplateAddress(ctx context.Context, id string) (Address, error) {
	return fetch[Address](ctx, c, http.MethodGet, at("/api/v2/templates/%s/download", id), nil, nil)
}
