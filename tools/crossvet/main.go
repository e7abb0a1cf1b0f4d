// Command crossvet is go vet for another system, without compiling for it: it reads the types of what packages import from their sources.
// go vet compiles all of that first, which takes minutes where nothing is compiled for that system yet.
//
//	go run ./tools/crossvet windows ./agent/...
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: crossvet SYSTEM PACKAGES...")
		os.Exit(2)
	}
	if err := os.Setenv("GOOS", os.Args[1]); err != nil { // go list reads it, which the checker asks for the packages
		fmt.Fprintln(os.Stderr, "crossvet:", err)
		os.Exit(2)
	}
	os.Args = append(os.Args[:1], os.Args[2:]...)
	multichecker.Main(vet.Suite...)
}
