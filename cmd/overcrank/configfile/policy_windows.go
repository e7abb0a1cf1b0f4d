package configfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sys/windows/registry"
)

// policyKey is where Windows keeps what Group Policy and Intune set for machines. Only administrators can write there.
const policyKey = `Software\Policies\Overcrank`

// readPolicies reads the policies of this machine: texts, lists of texts, and numbers, each by the name of its flag.
func readPolicies() (policies, error) {
	p := policies{place: `HKLM\` + policyKey, values: map[string][]string{}}
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, policyKey, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if errors.Is(err, registry.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("opening the policies %s: %w", p.place, err)
	}
	defer func() { _ = key.Close() }() // nothing was written
	names, err := key.ReadValueNames(-1)
	if err != nil {
		return p, fmt.Errorf("listing the policies %s: %w", p.place, err)
	}
	for _, name := range names {
		text, err := policyValue(key, name)
		if err != nil {
			return p, fmt.Errorf(`reading the policy %s\%s: %w`, p.place, name, err)
		}
		p.values[name] = text
	}
	return p, nil
}

// policyValue reads one value as what would be written behind its flag.
func policyValue(key registry.Key, name string) ([]string, error) {
	_, kind, err := key.GetValue(name, nil)
	if err != nil {
		return nil, err
	}
	switch kind {
	case registry.DWORD, registry.QWORD:
		n, _, err := key.GetIntegerValue(name)
		return []string{strconv.FormatUint(n, 10)}, err
	case registry.MULTI_SZ:
		lines, _, err := key.GetStringsValue(name)
		return slices.DeleteFunc(lines, func(line string) bool { return line == "" }), err
	}
	text, _, err := key.GetStringValue(name)
	return []string{text}, err
}
