package inventory

import (
	"context"
	"strconv"
	"strings"
)

// registryKey is a key of the Windows registry with its values.
type registryKey struct {
	path   string
	values map[string]string
}

// registry reads a key as "reg query" prints it, with more options. That program is part of every Windows, and starts in
// milliseconds.
func (s System) registry(ctx context.Context, key string, more ...string) []registryKey {
	out, _ := s.Ask(ctx, "reg", append([]string{"query", key}, more...)...) // keys that this account may not read make it end with an error
	return parseRegistry(string(out))
}

// below reads the keys below one as well.
const below = "/s"

func parseRegistry(text string) []registryKey {
	var keys []registryKey
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "HKEY_"):
			keys = append(keys, registryKey{path: line, values: map[string]string{}})
		case strings.HasPrefix(line, "    ") && len(keys) > 0:
			name, rest, ok := strings.Cut(strings.TrimPrefix(line, "    "), "    ")
			_, value, typed := strings.Cut(rest, "    ")
			if ok && typed {
				keys[len(keys)-1].values[name] = value
			}
		}
	}
	return keys
}

// number is a value such as 0x5ff800000, 0 when it is none.
func (k registryKey) number(name string) int64 {
	n, err := strconv.ParseInt(k.values[name], 0, 64)
	if err != nil {
		return 0
	}
	return n
}
