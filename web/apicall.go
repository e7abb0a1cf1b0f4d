package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"overcrank/farm"
)

// showCall answers with what the form would send to the interface, in several languages. The token is a placeholder, and secrets are
// references, as in the form.
func (s *server) showCall(c *fiber.Ctx, p farm.Principal) error {
	ctx, cancel := s.callOf(c)
	defer cancel()
	form, _, err := s.sentForm(ctx, c, p)
	if err != nil {
		return err
	}
	o, wrong := readOrder(c)
	if len(wrong) > 0 {
		return farm.Invalid("the job cannot be submitted", wrong...)
	}
	body, _, err := formBody(c, &form, o)
	if err != nil {
		return err
	}
	text, err := jsonText(body)
	if err != nil {
		return err
	}
	address := s.farm.publicAddress() + "/api/v2/jobs"
	return c.JSON(fiber.Map{"curl": curlCall(address, text), "python": pythonCall(address, body), "json": text})
}

// jsonText is a body as people read it.
func jsonText(body map[string]any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(body); err != nil {
		return "", fmt.Errorf("showing a job as a call: %w", err)
	}
	return strings.TrimSpace(out.String()), nil
}

// curlCall hands the body over as a here-document, within which a shell changes nothing. A line of it that ended the document early cannot be:
// the lines of the text are those of JSON.
func curlCall(address, text string) string {
	return "curl " + shellQuoted(address) + ` \
  -H "Authorization: Bearer $OVERCRANK_TOKEN" \
  -H "Content-Type: application/json" \
  --data-binary @- <<'END'
` + text + "\nEND"
}

func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func pythonCall(address string, body map[string]any) string {
	return `import json, os, urllib.request

job = ` + pythonLiteral(body, "") + `

request = urllib.request.Request(
    ` + pythonString(address) + `,
    data=json.dumps(job).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["OVERCRANK_TOKEN"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["id"])`
}

// pythonLiteral is a value of a body in Python's words.
func pythonLiteral(value any, indent string) string {
	deeper := indent + "    "
	switch v := value.(type) {
	case map[string]any:
		var lines []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			lines = append(lines, deeper+pythonString(key)+": "+pythonLiteral(v[key], deeper)+",\n")
		}
		return "{\n" + strings.Join(lines, "") + indent + "}"
	case []map[string]any:
		var lines []string
		for _, each := range v {
			lines = append(lines, deeper+pythonLiteral(each, deeper)+",\n")
		}
		return "[\n" + strings.Join(lines, "") + indent + "]"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case nil:
		return "None"
	case string:
		return pythonString(v)
	case farm.Level:
		return pythonString(string(v))
	case json.RawMessage:
		var inner any
		if json.Unmarshal(v, &inner) == nil {
			return pythonLiteral(inner, indent)
		}
	case []any:
		var parts []string
		for _, each := range v {
			parts = append(parts, pythonLiteral(each, deeper))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	text, err := json.Marshal(value) // numbers and lists of them are written alike
	if err != nil {
		return "None"
	}
	return string(text)
}

// pythonString quotes text so that Python reads the same: what Go writes of a string in ASCII, Python understands.
func pythonString(text string) string { return strconv.QuoteToASCII(text) }
