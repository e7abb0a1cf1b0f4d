package inventory

import (
	"bufio"
	"os"
	"strings"
)

// pciName is the name of a device of the PCI bus: from the machine's list of them when it has one, else its numbers.
// https://pci-ids.ucw.cz has the list's format: vendors at the beginning of a line, their devices behind a tab.
func (s System) pciName(vendor, device string) string {
	for _, list := range []string{"/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids"} {
		if name := findDevice(s.at(list), vendor, device); name != "" {
			return name
		}
	}
	makers := map[string]string{"10de": "NVIDIA", "1002": "AMD", "8086": "Intel"}
	return words(makers[vendor], vendor+":"+device)
}

func findDevice(list, vendor, device string) string {
	f, err := os.Open(list)
	if err != nil {
		return ""
	}
	defer f.Close()
	maker := ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		switch {
		case maker == "":
			if name, ok := strings.CutPrefix(line, vendor+"  "); ok {
				maker = name
			}
		case strings.HasPrefix(line, "\t"+device+"  "):
			return words(maker, strings.TrimPrefix(line, "\t"+device+"  "))
		case line != "" && line[0] != '\t' && line[0] != '#':
			return words(maker, vendor+":"+device)
		}
	}
	return ""
}
