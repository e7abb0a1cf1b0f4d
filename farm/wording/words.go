package wording

import "fmt"

// Words say a text, with verbs as of package fmt, in some language. Its key is the English text.
type Words func(text string, args ...any) string

// English says texts as they stand in the code.
var English Words = fmt.Sprintf
