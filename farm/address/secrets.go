package address

import (
	"net/url"
	"strings"

	"overcrank/farm"
)

// PutSecrets replaces an address's references to secrets by their values. The value of a whole query parameter, as in
// ?token=${secrets.TOKEN}, is percent-encoded unless it already is; elsewhere the value is inserted as it is, except for
// characters that no address may hold.
func PutSecrets(src string, value func(name string) (string, error)) (string, error) {
	var out strings.Builder
	parts := farm.SplitSecrets(src)
	for i, part := range parts {
		out.WriteString(part.Text)
		if i == len(parts)-1 {
			break
		}
		v, err := value(part.Ref)
		if err != nil {
			return "", err
		}
		switch after := parts[i+1]; {
		case isParameter(out.String(), after) && !escaped(v), inData(out.String()):
			out.WriteString(strings.ReplaceAll(url.QueryEscape(v), "+", "%20"))
		default:
			out.WriteString(legal(v))
		}
	}
	return out.String(), nil
}

// isParameter tells whether the reference between before and after is the whole value of a query parameter.
func isParameter(before string, after farm.SecretPart) bool {
	ends := after.Text == "" && after.Ref == "" || strings.HasPrefix(after.Text, "&") || strings.HasPrefix(after.Text, "#")
	return ends && strings.HasSuffix(before, "=") && strings.Contains(before, "?") && !strings.Contains(before, "#")
}

// inData tells whether before ends within the content of a percent-encoded data: address.
func inData(before string) bool {
	head, _, content := strings.Cut(before, ",")
	return content && strings.HasPrefix(strings.ToLower(head), "data:") && !strings.HasSuffix(strings.ToLower(head), ";base64")
}

// escaped tells whether a value holds percent-encoded characters, and no other percent sign.
func escaped(v string) bool {
	n := strings.Count(v, "%")
	if n == 0 {
		return false
	}
	for i := range len(v) {
		if v[i] == '%' && !escapeAt(v, i) {
			return false
		}
	}
	return true
}

func escapeAt(v string, i int) bool {
	return i+2 < len(v) && isHex(v[i+1]) && isHex(v[i+2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// legal percent-encodes the characters that no address may hold.
func legal(v string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(v) {
		c := v[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 || c == '%' && !escapeAt(v, i) {
			out.WriteString(string([]byte{'%', digits[c>>4], digits[c&15]}))
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}
