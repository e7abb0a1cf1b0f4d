package web

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
	"overcrank/web/language"
)

// words answers with what the pages' scripts say in a language, as a script that comes before them.
func (s *server) words(c *fiber.Ctx) error {
	l := farm.KnownLanguage(strings.TrimSuffix(c.Params("language"), ".js"))
	if l == "" {
		return fiber.ErrNotFound
	}
	said, err := language.ScriptTexts(staticFiles)
	if err != nil {
		return err
	}
	words, err := json.Marshal(language.Texts(l, said))
	if err != nil {
		return fmt.Errorf("writing the texts of scripts: %w", err)
	}
	s.keep(c)
	c.Type("js", "utf-8")
	return s.smaller.file(c, "words/"+string(l), append(append([]byte("window.words = "), words...), ";\n"...))
}

// keep lets browsers keep an answer whose address changes with the version.
func (s *server) keep(c *fiber.Ctx) {
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	if s.version == "dev" {
		c.Set(fiber.HeaderCacheControl, "no-cache")
	}
}
