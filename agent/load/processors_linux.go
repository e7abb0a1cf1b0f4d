package load

import (
	"bytes"
	"os"
	"strconv"
)

// average is not needed where ticks are counted.
func average() (percent float64, known bool) { return 0, false }

// processors reads the first line of /proc/stat (proc_stat(5)).
func processors() (ticks, bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ticks{}, false
	}
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	return parseStat(string(line))
}

// The columns of that line in which nothing is done, and those that are counted a second time in others: guests in user and nice.
const (
	columnIdle   = 3
	columnIOWait = 4
	columnGuest  = 8
)

// parseStat reads the line of all processors.
func parseStat(line string) (t ticks, known bool) {
	fields := bytes.Fields([]byte(line))
	if len(fields) <= columnIOWait+1 || string(fields[0]) != "cpu" {
		return ticks{}, false
	}
	for i, field := range fields[1:min(len(fields), columnGuest+1)] {
		n, err := strconv.ParseUint(string(field), 10, 64)
		if err != nil {
			return ticks{}, false
		}
		t.all += n
		if i != columnIdle && i != columnIOWait {
			t.busy += n
		}
	}
	return t, true
}
