package farmv1

import (
	"context"
	"io"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/api/route"
	"overcrank/coordinator"
	"overcrank/coordinator/backup"
	"overcrank/farm"
)

// passphraseLimit bounds a passphrase, in bytes.
const passphraseLimit = 1 << 10

// Backups gives backups of the farm, and puts it back to one.
type Backups interface {
	Backup(ctx context.Context, p farm.Principal, wish coordinator.BackupWish) (io.ReadCloser, backup.Manifest, error)
	BackupChecked(ctx context.Context, p farm.Principal, id string) (farm.Backup, error)
	MayRestore(p farm.Principal) error
	HoldBackup(ctx context.Context, p farm.Principal, r io.Reader, passphrase farm.Confidential) (*coordinator.HeldBackup, error)
}

// backupHandlers gives backups, and puts the farm back to one.
type backupHandlers struct {
	backups Backups
	logger  *slog.Logger
}

func (h backupHandlers) routes() []route.Route {
	return []route.Route{
		route.Post(root+"/backup", farm.ActBackUp, h.giveBackup),
		route.Post(root+"/backups/:id/checked", farm.ActBackUp, h.backupChecked),
		route.Post(root+"/restore", farm.ActBackUp, h.restoreFarm),
	}
}

// giveBackup gives the whole farm as one file, which is made while it is sent.
func (h backupHandlers) giveBackup(c *fiber.Ctx, p farm.Principal) error {
	wish, err := input.Body(c, decodeBackup)
	if err != nil {
		return err
	}
	content, m, err := h.backups.Backup(request.Transfer(c), p, wish)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return answer.Download(c, content, fiber.MIMEOctetStream, "farm-"+m.CreatedAt.Format("20060102T150405Z")+".ocbackup")
}

// decodeBackup reads what a backup is to hold. That it leaves the keys out has to be said. No problem that it reports repeats the
// passphrase.
func decodeBackup(body []byte) (wish coordinator.BackupWish, err error) {
	wrong := &input.Problems{}
	o, err := input.Read(body, wrong)
	if err != nil {
		return wish, err
	}
	o.Only("passphrase", "withoutKeys", "files", "place")
	wish.Files, wish.Place = o.Flag("files"), o.Text("place", farm.MostBackupPlace)
	switch given := o.Has("passphrase"); {
	case o.Flag("withoutKeys") && given:
		o.Problem("passphrase", "seals the keys, and withoutKeys leaves them out: give one of the two")
	case given:
		wish.Passphrase = farm.NewConfidential(o.NeedText("passphrase", passphraseLimit))
	case !o.Flag("withoutKeys"):
		o.Problem("passphrase", "has to be given: it seals the farm's keys; or withoutKeys, which leaves them out")
	}
	return wish, wrong.Err()
}

// backupBody is a backup that the farm remembers.
type backupBody struct {
	ID        string      `json:"id"`
	At        answer.Time `json:"at"`
	EndedAt   answer.Time `json:"endedAt"`
	By        string      `json:"by"`
	Place     string      `json:"place"`
	Change    int64       `json:"change"`
	Bytes     int64       `json:"bytes"`
	Keys      bool        `json:"keys"`
	Files     bool        `json:"files"`
	CheckedAt answer.Time `json:"checkedAt"`
}

func backupShape(b farm.Backup) backupBody {
	return backupBody{
		ID: b.ID, At: answer.Time(b.At), EndedAt: answer.Time(b.EndedAt), By: b.By, Place: b.Place, Change: int64(b.Index), Bytes: b.Bytes, Keys: b.Keys, Files: b.Files,
		CheckedAt: answer.Time(b.CheckedAt),
	}
}

// backupChecked notes that a backup was found whole where it is kept.
func (h backupHandlers) backupChecked(c *fiber.Ctx, p farm.Principal) error {
	ctx, done := request.Call(c)
	defer done()
	b, err := h.backups.BackupChecked(ctx, p, c.Params("id"))
	if err != nil {
		return err
	}
	return answer.OK(c, backupShape(b))
}
