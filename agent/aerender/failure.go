package aerender

import (
	"fmt"
	"regexp"
	"strings"

	"overcrank/farm"
)

// Failure is an engine's run that gave no result.
type Failure struct {
	Message string // for whoever submitted the job
	Class   farm.FailureClass
	Cause   farm.Cause
}

func (f *Failure) Error() string { return f.Message }

// rule gives a message of After Effects its meaning. The first that matches counts.
//
// The patterns are the messages of an English After Effects, and of the farm's own engine. In other languages none of them matches: then the
// exit code decides (codes), which is the same everywhere but tells fewer failures apart, so a deterministic one may be tried again.
type rule struct {
	form  func() *regexp.Regexp
	class farm.FailureClass
	cause farm.CauseKind // its subject is what the message names
	words string         // "" means the engine's own
}

var rules = []rule{
	{pattern(`^the script (ran longer|used more) than|too much recursion`), farm.FailureDeterministic, farm.CauseExpression, ""},
	{pattern(`(?i)another instance of aerender|waiting for response from a modal dialog`), farm.FailureWorker, farm.CauseMachine, "After Effects was busy or waited for an answer to a dialog"},
	{pattern(`-1712\b`), farm.FailureWorker, farm.CauseMachine, "After Effects did not answer macOS in time; a dialog may be open on this machine"},
	{pattern(`-17(01|43)\b`), farm.FailureWorker, farm.CauseMachine, "After Effects could not be reached; macOS has not allowed it to be controlled on this machine"},
	{pattern(`(?i)created with After Effects version ([\d.]+).*cannot be opened`), farm.FailureWorker, farm.CauseEngine, ""},
	{pattern(`(?i)unable to obtain a licen[sc]e|invalid serial number|using the same serial number`), farm.FailureLicence, farm.CauseLicence, "After Effects or one of its plug-ins got no licence on this machine"},
	{pattern(`(?i)internal verification failure|unexpected failure during application startup`), farm.FailureWorker, farm.CauseMachine, ""},
	{pattern(`(?i)no space left|disk (is )?full|not enough (disk )?space|error while writing to file|output module failed`), farm.FailureWorker, farm.CauseDisk, "The result could not be written: the disk is full or not writable"},
	{pattern(`(?i)out of memory|not enough memory|unable to allocate`), farm.FailureWorker, farm.CauseMemory, "There was not enough memory"},
	{pattern(`(?i)missing effect`), farm.FailureWorker, farm.CauseEffect, ""},
	{pattern(`(?i)source compression type is not supported`), farm.FailureWorker, farm.CauseMachine, ""},
	{pattern(`(?i)background rendering`), farm.FailureTransient, farm.CauseEngine, ""},
	{pattern(`(?i)no output module template|no render settings template`), farm.FailureDeterministic, farm.CauseEngine, ""},
	{pattern(`(?i)could not read from source|missing footage|footage .*missing|file .*(not found|does not exist)`), farm.FailureDeterministic, farm.CauseFootage, ""},
	{pattern(`(?i)output module for this render item is already in use`), farm.FailureDeterministic, farm.CauseEngine, ""},
}

// told are the messages that stand for themselves: those of the agent's own script.
var told = pattern(`\(asset \d+\)|^(?:Composition '|Layer '|After Effects expression error)`)

var noComposition = pattern(`(?i)no comp was found with the given name`)

// exitBySignal is what the exit code of a program exceeds that was ended by a signal, as shells count it. Who was killed says
// nothing about the machine.
const exitBySignal = 128

// codes are what aerender's exit codes mean, whatever language its words are in: its own scripts end it with them.
var codes = map[int]farm.FailureClass{
	2: farm.FailureWorker, 3: farm.FailureWorker, 4: farm.FailureWorker, // it takes other flags
	5: farm.FailureDeterministic, 6: farm.FailureDeterministic, // a script
	11: farm.FailureWorker, // no way to After Effects
}

// classOf is the class of an end that no rule knows.
func classOf(code int) farm.FailureClass {
	if class, known := codes[code]; known {
		return class
	}
	return farm.FailureTransient
}

// outcome classes the end of a run that was not stopped by us. code is the exit code, lines the errors it printed. It is
// nil when the engine claims success; only a look at the result proves it. engine is its name in a sentence.
func outcome(engine, composition string, code int, errors []string, began bool) *Failure {
	if code == 0 && len(errors) == 0 {
		return nil
	}
	for _, text := range errors {
		if told().MatchString(text) {
			return &Failure{Message: strings.TrimSuffix(text, "."), Class: farm.FailureDeterministic, Cause: CauseTold(text)}
		}
		if noComposition().MatchString(text) {
			return &Failure{Message: fmt.Sprintf("Composition '%s' not found", composition), Class: farm.FailureDeterministic, Cause: causeOf(farm.CauseComposition, composition)}
		}
	}
	head := fmt.Sprintf("Render failed: %s exited with code %d", engine, code)
	if code == 0 {
		head = fmt.Sprintf("Render failed: %s reported an error", engine)
	}
	for _, text := range errors {
		for _, r := range rules {
			if r.form().MatchString(text) {
				cause := causeOf(r.cause, named(r.cause, text))
				if r.words != "" {
					text = r.words
				}
				return &Failure{Message: head + ": " + text, Class: r.class, Cause: cause}
			}
		}
	}
	if len(errors) > 0 {
		return &Failure{Message: head + ": " + errors[0], Class: classOf(code), Cause: farm.CauseOfMessage(errors[0])}
	}
	if killed := code < 0 || code > exitBySignal; !began && !killed {
		return &Failure{Message: head + " before it opened the project", Class: farm.FailureWorker, Cause: farm.Cause{Kind: farm.CauseMachine}}
	}
	return &Failure{Message: head, Class: classOf(code), Cause: causeOf(farm.CauseEngine, fmt.Sprintf("%s exited with code %d", engine, code))}
}
