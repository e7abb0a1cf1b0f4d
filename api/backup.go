package api

import (
	"github.com/gofiber/fiber/v2"

	"overcrank/coordinator"
	"overcrank/farm"
)

// passphraseLimit bounds a passphrase, in bytes.
const passphraseLimit = 1 << 10

// giveBackup gives the whole farm as one file, which is made while it is sent.
func (s *server) giveBackup(c *fiber.Ctx, p farm.Principal) error {
	body, err := readBody(c, jsonLimit)
	if err != nil {
		return err
	}
	wish, err := decodeBackup(body)
	if err != nil {
		return err
	}
	content, m, err := s.farm.Backup(s.transfer(c), p, wish)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return ServeStream(c, content, fiber.MIMEOctetStream, "farm-"+m.CreatedAt.Format("20060102T150405Z")+".ocbackup")
}

// decodeBackup reads what a backup is to hold. That it leaves the keys out has to be said. No problem that it reports repeats the
// passphrase.
func decodeBackup(body []byte) (wish coordinator.BackupWish, err error) {
	wrong := &problems{}
	o, err := readObject(body, wrong)
	if err != nil {
		return wish, err
	}
	o.only("passphrase", "withoutKeys", "files")
	wish.Files = o.flag("files")
	switch given := o.has("passphrase"); {
	case o.flag("withoutKeys") && given:
		o.problem("passphrase", "seals the keys, and withoutKeys leaves them out: give one of the two")
	case given:
		wish.Passphrase = farm.NewConfidential(o.needText("passphrase", passphraseLimit))
	case !o.flag("withoutKeys"):
		o.problem("passphrase", "has to be given: it seals the farm's keys; or withoutKeys, which leaves them out")
	}
	return wish, wrong.err()
}
