package ffmpeg

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tells has the test's own program tell the limit of its memory once it is asked.
const tells = "OVERCRANK_TEST_TELLS"

func TestMain(m *testing.M) {
	if os.Getenv(tells) == "" {
		os.Exit(m.Run())
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := windows.QueryInformationJobObject(0, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	var inJob int32
	_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc("IsProcessInJob").Call(uintptr(windows.CurrentProcess()), 0, uintptr(unsafe.Pointer(&inJob)))
	fmt.Println(inJob != 0, info.BasicLimitInformation.LimitFlags&windows.JOB_OBJECT_LIMIT_PROCESS_MEMORY != 0, info.ProcessMemoryLimit, err)
}

// wine puts processes into job objects, and neither limits their memory by them nor tells it.
func wine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

func TestAReaderIsBounded(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), tells+"=1")
	var said strings.Builder
	cmd.Stdout = &said
	in, err := cmd.StdinPipe()
	if err == nil {
		err = Start(cmd, MaxMemory)
	}
	if err == nil {
		err = in.Close()
	}
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintln(true, true, uint64(MaxMemory), nil)
	if wine() {
		want = fmt.Sprintln(true, false, 0, nil)
	}
	if said.String() != want {
		t.Errorf("of its limit it says %q, want %q", said.String(), want)
	}
}
