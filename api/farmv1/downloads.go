package farmv1

import (
	"context"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/downloads"
	"overcrank/coordinator/files"
	"overcrank/farm"
)

// downloadBody is a file that the farm hands out.
type downloadBody struct {
	Kind    string      `json:"kind"`
	System  string      `json:"system"`
	Arch    string      `json:"arch"`
	Format  string      `json:"format"`
	Version string      `json:"version"`
	Name    string      `json:"name"`
	Size    int64       `json:"size"` // bytes
	SHA256  string      `json:"sha256"`
	AddedAt answer.Time `json:"addedAt"`
	AddedBy string      `json:"addedBy"`
}

func downloadShape(d farm.Download) downloadBody {
	return downloadBody{
		Kind: string(d.Kind), System: d.System, Arch: d.Arch, Format: d.Format, Version: d.Version, Name: d.File.Name, Size: d.File.Size, SHA256: d.File.SHA256,
		AddedAt: answer.Time(d.AddedAt), AddedBy: d.AddedBy,
	}
}

// downloadHandlers serves the files that the farm hands out.
type downloadHandlers struct{ downloads *downloads.Downloads }

func (h downloadHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/downloads", farm.ActView, h.list),
		route.Post(root+"/downloads", farm.ActKeepDownloads, h.add),
		route.Put(root+"/downloads/:sha256/content", farm.ActKeepDownloads, h.take),
		route.Get(root+"/downloads/:sha256/content", farm.ActView, h.content),
		route.Delete(root+"/downloads/:sha256", farm.ActKeepDownloads, h.remove),
	}
}

func (h downloadHandlers) list(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.downloads.List(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, downloadShape))
}

// take receives a file that is added afterwards.
func (h downloadHandlers) take(c *fiber.Ctx, p farm.Principal) error {
	return receiveFile(c, downloads.MaxFile, func(ctx context.Context, sha256 string, body io.Reader, size int64) (farm.FileRef, error) {
		return h.downloads.Receive(ctx, p, sha256, body, size)
	})
}

func (h downloadHandlers) add(c *fiber.Ctx, p farm.Principal) error {
	made, err := input.Body(c, decodeDownload)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	made, err = h.downloads.Add(ctx, p, made)
	if err != nil {
		return err
	}
	return answer.Created(c, downloadShape(made))
}

// decodeDownload reads what a received file is. The farm says what is wrong with it.
func decodeDownload(body []byte) (farm.Download, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return farm.Download{}, err
	}
	o.Only("kind", "system", "arch", "format", "version", "name", "sha256")
	text := func(name string) string { return o.Text(name, input.NameLimit) }
	for _, name := range []string{"kind", "name", "sha256"} {
		o.Need(name)
	}
	made := farm.Download{
		Kind: farm.DownloadKind(text("kind")), System: text("system"), Arch: text("arch"), Format: text("format"), Version: text("version"),
		File: farm.FileRef{Name: text("name"), SHA256: text("sha256")},
	}
	return made, wrong.Err()
}

func (h downloadHandlers) content(c *fiber.Ctx, p farm.Principal) error {
	sha256 := strings.Clone(c.Params("sha256"))
	return answer.OpenFile(c, answer.FileOptions{ContentType: fiber.MIMEOctetStream, Download: true}, func(ctx context.Context) (*files.File, error) {
		return h.downloads.Open(ctx, p, sha256)
	})
}

func (h downloadHandlers) remove(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.downloads.Remove(ctx, p, strings.Clone(c.Params("sha256"))); err != nil {
		return err
	}
	return answer.None(c)
}
