package answer

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"
)

// LinkNext names the page behind the one that c asks for, if there is one.
func LinkNext(c *fiber.Ctx, cursor string) {
	if cursor != "" {
		c.Set(fiber.HeaderLink, fmt.Sprintf(`<%s>; rel="next"`, nextPage(c, cursor)))
	}
}

// nextPage is the address of the page behind the one that c asks for.
func nextPage(c *fiber.Ctx, cursor string) string {
	query, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		query = url.Values{}
	}
	query.Del("from")
	query.Set("cursor", cursor)
	return c.Path() + "?" + query.Encode()
}
