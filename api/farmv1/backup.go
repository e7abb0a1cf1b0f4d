package farmv1

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/api/answer"
	"overcrank/api/input"
	"overcrank/api/request"
	"overcrank/coordinator"
	"overcrank/farm"
)

// passphraseLimit bounds a passphrase, in bytes.
const passphraseLimit = 1 << 10

// giveBackup gives the whole farm as one file, which is made while it is sent.
func (s *server) giveBackup(c *fiber.Ctx, p farm.Principal) error {
	body, err := request.ReadBody(c, input.JSONLimit)
	if err != nil {
		return err
	}
	wish, err := decodeBackup(body)
	if err != nil {
		return err
	}
	content, m, err := s.farm.Backup(request.Transfer(c), p, wish)
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
	o.Only("passphrase", "withoutKeys", "files")
	wish.Files = o.Flag("files")
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
