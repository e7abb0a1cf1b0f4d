// Command aftereffects stands in for the programs of an After Effects in tests with real processes: called AfterFX it runs a script
// file, and by any other name it is aerender.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"overcrank/agent/internal/aerenderdouble"
)

func main() {
	args := os.Args[1:]
	switch {
	case filepath.Base(os.Args[0]) == "AfterFX" && len(args) == 2:
		os.Exit(aerenderdouble.AfterFX(args[1], "ok"))
	case len(args) == 1 && args[0] == "-version":
		fmt.Println("aerender version 26.0.2")
	default:
		os.Exit(aerenderdouble.Main(args))
	}
}
