package aerenderdouble

import (
	"os"
	"os/signal"
)

func ignoreTermination() { signal.Ignore(os.Interrupt) }
