package remote

import (
	"encoding/json"
	"fmt"

	"overcrank/cmd/overcrank/terminal"
)

// Flags are those of a command that prints an answer of the farm.
type Flags struct {
	Farm
	JSON bool `help:"Print the answer of the API, as JSON." name:"json"`
}

// Answer is what the farm answered; JSON is its text as it came.
type Answer interface{ JSON() json.RawMessage }

// Print prints an answer: with --json as it came, else as words prints it. err is that of the request, and is returned instead.
func (f Flags) Print(out *terminal.Output, answer Answer, err error, words func() error) error {
	switch {
	case err != nil:
		return err
	case f.JSON:
		return out.Answer(answer.JSON())
	}
	return words()
}

// PrintEach does something to each of the records that a command names, one after the other, and prints for each the line that do gives;
// with --json it prints all answers at the end. It stops at the first error.
func (f Flags) PrintEach(out *terminal.Output, refs []string, do func(ref string) (answer Answer, line string, err error)) error {
	answers := make([]json.RawMessage, 0, len(refs))
	for _, ref := range refs {
		answer, line, err := do(ref)
		if err != nil {
			return err
		}
		answers = append(answers, answer.JSON())
		if !f.JSON {
			fmt.Fprintln(out, line)
		}
	}
	if f.JSON {
		return out.Answers(answers)
	}
	return nil
}

// Texts are several answers as they came.
func Texts[A Answer](answers []A) []json.RawMessage {
	texts := make([]json.RawMessage, len(answers))
	for i, answer := range answers {
		texts[i] = answer.JSON()
	}
	return texts
}
