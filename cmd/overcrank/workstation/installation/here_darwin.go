package installation

import "time"

// Here is this machine.
func Here() Machine { return mac{run: runProgram, wait: time.Second} }
