package farmv1

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator/updates"
	"overcrank/farm"
	"overcrank/release"
)

// Rollouts answers how far machines are with a release.
type Rollouts interface {
	MachineUpdates(ctx context.Context, p farm.Principal) (updates.Overview, error)
}

// releaseBody is a release of the agent's program.
type releaseBody struct {
	Version     string            `json:"version"`
	Number      int64             `json:"number"`
	Expires     answer.Time       `json:"expires"`
	MinLauncher int               `json:"minLauncher"`
	ProtocolMin int               `json:"protocolMin"`
	ProtocolMax int               `json:"protocolMax"`
	DowngradeOf int64             `json:"downgradeOf"`
	Keys        int64             `json:"keys"`
	KeysExpire  answer.Time       `json:"keysExpire"`
	AddedAt     answer.Time       `json:"addedAt"`
	AddedBy     string            `json:"addedBy"`
	Files       []releaseFileBody `json:"files"`
}

type releaseFileBody struct {
	System string `json:"system"`
	Arch   string `json:"arch"`
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

func releaseShape(r farm.Release) releaseBody {
	return releaseBody{
		Version: r.Version, Number: r.Number, Expires: answer.Time(r.Expires), MinLauncher: r.MinLauncher, ProtocolMin: r.ProtocolMin, ProtocolMax: r.ProtocolMax,
		DowngradeOf: r.DowngradeOf, Keys: r.Keys, KeysExpire: answer.Time(r.KeysExpire), AddedAt: answer.Time(r.AddedAt), AddedBy: r.AddedBy,
		Files: answer.Each(r.Files, func(f farm.ReleaseFile) releaseFileBody {
			return releaseFileBody{System: f.System, Arch: f.Arch, Name: f.File.Name, Size: f.File.Size, SHA256: f.File.SHA256}
		}),
	}
}

// updatesBody is which release machines are to run, how they get it, and how far they are.
type updatesBody struct {
	Revision       int                 `json:"revision"`
	At             answer.Time         `json:"at"`
	By             string              `json:"by"`
	Release        *string             `json:"release"`
	CanaryTags     []string            `json:"canaryTags"`
	CanaryMachines []string            `json:"canaryMachines"`
	Hours          []string            `json:"hours"`
	BytesPerSecond int64               `json:"bytesPerSecond"`
	AtOnce         int                 `json:"atOnce"`
	SoakMinutes    int                 `json:"soakMinutes"`
	Ring           *string             `json:"ring"`
	Waiting        string              `json:"waiting"`
	Stopped        *updateStopBody     `json:"stopped"`
	Machines       []machineUpdateBody `json:"machines"`
}

// updateStopBody is why no further machine gets a release.
type updateStopBody struct {
	Reason  string      `json:"reason"`
	Machine *string     `json:"machine"`
	At      answer.Time `json:"at"`
}

// machineUpdateBody is what a machine runs, and how far it is with a release.
type machineUpdateBody struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Online  bool    `json:"online"`
	Version string  `json:"version"`
	Mode    *string `json:"mode"`
	Ring    string  `json:"ring"`
	Release *string `json:"release"`
	State   *string `json:"state"`
	Reason  string  `json:"reason"`
	// Failures counts the attempts to take the release that failed.
	Failures int         `json:"failures"`
	Rendered bool        `json:"rendered"`
	At       answer.Time `json:"at"`
}

func updatesShape(o updates.Overview) updatesBody {
	u := o.Updates
	body := updatesBody{
		Revision: u.Revision, At: answer.Time(u.At), By: u.By, Release: answer.OrNull(u.Release), CanaryTags: answer.OrEmpty(u.CanaryTags),
		CanaryMachines: answer.OrEmpty(u.CanaryMachines), Hours: answer.Each(u.Hours, farm.Hours.String), BytesPerSecond: u.BytesPerSecond,
		AtOnce: u.MostAtOnce(), SoakMinutes: int(u.Soak().Minutes()), Ring: answer.OrNull(string(u.Ring)), Waiting: o.Waiting,
		Machines: answer.Each(o.Machines, machineUpdateShape),
	}
	if stop := u.Stopped; stop != nil {
		body.Stopped = &updateStopBody{Reason: stop.Reason, Machine: answer.OrNull(stop.Machine), At: answer.Time(stop.At)}
	}
	return body
}

func machineUpdateShape(m updates.Machine) machineUpdateBody {
	return machineUpdateBody{
		ID: m.ID, Name: m.Name, Online: m.Online, Version: m.Update.Version, Mode: answer.OrNull(string(m.Update.Mode)), Ring: string(m.Ring),
		Release: answer.OrNull(m.Update.Release), State: answer.OrNull(string(m.Update.State)), Reason: m.Update.Reason,
		Failures: m.Update.Failures, Rendered: m.Update.Rendered, At: answer.Time(m.Update.At),
	}
}

// updateHandlers serves releases of the agent's program, and how machines get them.
type updateHandlers struct {
	releases *updates.Releases
	rollouts Rollouts
}

func (h updateHandlers) routes() []route.Route {
	return []route.Route{
		route.Get(root+"/releases", farm.ActView, h.listReleases),
		route.Post(root+"/releases", farm.ActUpdateMachines, h.addRelease),
		route.Put(root+"/releases/files/:sha256", farm.ActUpdateMachines, h.takeReleaseFile),
		route.Delete(root+"/releases/:version", farm.ActUpdateMachines, h.removeRelease),
		route.Get(root+"/updates", farm.ActView, h.getUpdates),
		route.Patch(root+"/updates", farm.ActUpdateMachines, h.changeUpdates),
		route.Post(root+"/updates/resume", farm.ActUpdateMachines, h.resumeUpdates),
	}
}

func (h updateHandlers) listReleases(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	list, err := h.releases.List(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, answer.Each(list, releaseShape))
}

// takeReleaseFile receives a file of a release that is added afterwards.
func (h updateHandlers) takeReleaseFile(c *fiber.Ctx, p farm.Principal) error {
	return receiveFile(c, updates.MaxProgram, func(ctx context.Context, sha256 string, body io.Reader, size int64) (farm.FileRef, error) {
		return h.releases.Receive(ctx, p, sha256, body, size)
	})
}

func (h updateHandlers) addRelease(c *fiber.Ctx, p farm.Principal) error {
	docs, err := input.Body(c, decodeRelease)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	made, err := h.releases.Add(ctx, p, docs)
	if err != nil {
		return err
	}
	return answer.Created(c, releaseShape(made))
}

// releaseDocumentLimit bounds each document of a release, in bytes.
const releaseDocumentLimit = 200 << 10

// decodeRelease reads the documents of a release, each the text of its file.
func decodeRelease(body []byte) (release.Documents, error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return release.Documents{}, err
	}
	o.Only("manifest", "manifestSignature", "keys", "keysSignature")
	text := func(name string) []byte {
		o.Need(name)
		return []byte(o.Text(name, releaseDocumentLimit))
	}
	docs := release.Documents{Manifest: text("manifest"), ManifestSignature: text("manifestSignature"), Keys: text("keys"), KeysSignature: text("keysSignature")}
	return docs, wrong.Err()
}

func (h updateHandlers) removeRelease(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if err := h.releases.Remove(ctx, p, strings.Clone(c.Params("version"))); err != nil {
		return err
	}
	return answer.None(c)
}

func (h updateHandlers) getUpdates(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	return h.show(ctx, c, p)
}

func (h updateHandlers) show(ctx context.Context, c *fiber.Ctx, p farm.Principal) error {
	overview, err := h.rollouts.MachineUpdates(ctx, p)
	if err != nil {
		return err
	}
	return answer.OK(c, updatesShape(overview))
}

func (h updateHandlers) changeUpdates(c *fiber.Ctx, p farm.Principal) error {
	change, err := input.Body(c, decodeUpdates)
	if err != nil {
		return err
	}
	ctx, done := request.Call(c)
	defer done()
	if _, err := h.releases.Change(ctx, p, change); err != nil {
		return err
	}
	return h.show(ctx, c, p)
}

func (h updateHandlers) resumeUpdates(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	if _, err := h.releases.Resume(ctx, p); err != nil {
		return err
	}
	return h.show(ctx, c, p)
}

// decodeUpdates reads a change of the update settings. Fields that the body does not have stay as they are.
func decodeUpdates(body []byte) (func(*farm.Updates), error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return nil, err
	}
	o.Only("release", "canaryTags", "canaryMachines", "hours", "bytesPerSecond", "atOnce", "soakMinutes")
	changes := map[string]func(*farm.Updates){}
	version := o.Text("release", input.NameLimit)
	changes["release"] = func(u *farm.Updates) { u.Release = version }
	tags, machines := o.Texts("canaryTags", input.NameLimit), o.Texts("canaryMachines", input.NameLimit)
	changes["canaryTags"] = func(u *farm.Updates) { u.CanaryTags = tags }
	changes["canaryMachines"] = func(u *farm.Updates) { u.CanaryMachines = machines }
	hours := readHours(o)
	changes["hours"] = func(u *farm.Updates) { u.Hours = hours }
	pace, _ := o.Whole("bytesPerSecond", 0, 1<<40)
	changes["bytesPerSecond"] = func(u *farm.Updates) { u.BytesPerSecond = int64(pace) }
	most, _ := o.Whole("atOnce", 0, input.MostCount)
	changes["atOnce"] = func(u *farm.Updates) { u.AtOnce = most }
	soak, _ := o.Whole("soakMinutes", 0, farm.MaxSoakMinutes)
	changes["soakMinutes"] = func(u *farm.Updates) { u.SoakMinutes = &soak }
	maps.DeleteFunc(changes, func(name string, _ func(*farm.Updates)) bool { return !o.Has(name) })
	return func(u *farm.Updates) {
		for _, name := range slices.Sorted(maps.Keys(changes)) {
			changes[name](u)
		}
	}, wrong.Err()
}
