package input

import (
	"regexp"

	"github.com/gofiber/fiber/v2"
)

// namedLimit is how many jobs one request may name, to be cancelled or released.
const namedLimit = 1000

// ID is the form of a job's id: a ULID, in Crockford's base 32.
var ID = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)

// JobIDs reads the body of a request that names jobs.
func JobIDs(c *fiber.Ctx) ([]string, error) {
	return Body(c, ReadJobIDs)
}

// ReadJobIDs reads a body that names jobs.
func ReadJobIDs(body []byte) ([]string, error) {
	wrong := &Problems{}
	o, err := Read(body, wrong)
	if err != nil {
		return nil, err
	}
	list := o.List("jobs")
	switch {
	case !o.Need("jobs"):
	case KindOf(o.Raw("jobs")) != KindList:
	case len(list) == 0 || len(list) > namedLimit:
		o.Problem("jobs", "has to name between 1 and %d jobs, not %d", namedLimit, len(list))
	default:
		return readIDs(o, list), wrong.Err()
	}
	return nil, wrong.Err()
}

func readIDs(o Object, list []Element) []string {
	ids := make([]string, len(list))
	seen := map[string]bool{}
	for i, e := range list {
		if KindOf(e.Raw()) != KindString {
			e.Problem(o.Wrong, "has to be a string, not %s", KindOf(e.Raw()))
			continue
		}
		switch ids[i] = unquote(e.Raw()); {
		case !ID.MatchString(ids[i]):
			e.Problem(o.Wrong, "is not a job id")
		case seen[ids[i]]:
			e.Problem(o.Wrong, "names %s a second time", ids[i])
		}
		seen[ids[i]] = true
	}
	return ids
}
