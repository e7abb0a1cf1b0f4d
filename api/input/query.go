package input

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// PathName reads the last part of an address as a file name; it is escaped there.
func PathName(c *fiber.Ctx, key string) (string, error) {
	name, err := unescape(c.Params(key))
	if err != nil || !PlainFileName(name) {
		return "", farm.Errorf(farm.CodeInvalid, "the last part of the address is not a plain file name")
	}
	return name, nil
}

// PathText reads a part of an address as a text that people chose; it is escaped there.
func PathText(c *fiber.Ctx, key string) (string, error) {
	text, err := unescape(c.Params(key))
	if err != nil || !utf8.ValidString(text) {
		return "", farm.Errorf(farm.CodeInvalid, "a part of the address is not escaped as addresses are")
	}
	return text, nil
}

func unescape(part string) (string, error) {
	name, err := url.PathUnescape(part)
	if err != nil {
		return "", fmt.Errorf("reading the address: %w", err)
	}
	return name, nil
}

const (
	// ListSize is how long a page of a list is when its caller does not say.
	ListSize = 100
	// ListLimit is how long a page can be.
	ListLimit = 1000
)

// QueryList reads a comma list. Many clients write a list as a key that is repeated, with or without brackets behind it.
func QueryList(c *fiber.Ctx, key string) []string {
	var out []string
	for _, written := range []string{key, key + "[]"} {
		for _, value := range c.Context().QueryArgs().PeekMulti(written) {
			out = append(out, SplitList(string(value))...)
		}
	}
	return out
}

// QueryFlag reads true or false from the query, false when it is not there.
func QueryFlag(c *fiber.Ctx, key string, wrong *Problems) bool {
	switch text := c.Query(key); text {
	case "", "false":
		return false
	case "true":
		return true
	default:
		wrong.Add(key, "has to be true or false, not %q", text)
		return false
	}
}

// recordCursor is the form of a cursor that is the id of a job, a batch, a machine or a task.
var recordCursor = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}(\.[0-9]{1,9})?$`)

// QueryCursor reads the cursor of a list that goes by ids.
func QueryCursor(c *fiber.Ctx, wrong *Problems) string {
	cursor := c.Query("cursor")
	if cursor != "" && !recordCursor.MatchString(cursor) {
		wrong.Add("cursor", "was not given out by this farm; begin again without it")
	}
	return cursor
}

// SplitList splits a comma list and leaves out what is blank.
func SplitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// QueryNumber reads a whole number from the query, or gives the default when it is not there.
func QueryNumber(c *fiber.Ctx, key string, byDefault, low, high int, wrong *Problems) int {
	text := c.Query(key)
	if text == "" {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		wrong.Add(key, "has to be a whole number between %d and %d, not %q", low, high, text)
		return byDefault
	}
	return n
}
