package commandline

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/cmd/overcrank/configfile"
)

// mappers read values whose mistakes the parser would tell in the words of Go.
func mappers() []kong.Option {
	return []kong.Option{
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decodeDuration)),
		kong.KindMapper(reflect.Int, wholeNumber(strconv.IntSize)),
		kong.KindMapper(reflect.Int64, wholeNumber(64)),
	}
}

func decodeDuration(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("duration")
	if err != nil {
		return err
	}
	text := fmt.Sprint(token.Value)
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is not a length of time: write a number and its unit, such as 30s, 90m or 72h", text)
	}
	target.SetInt(int64(d))
	return nil
}

// wholeNumber reads an integer of so many bits.
func wholeNumber(bits int) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		token, err := ctx.Scan.PopValue("int")
		if err != nil {
			return err
		}
		text := fmt.Sprint(token.Value)
		n, err := strconv.ParseInt(text, 0, bits)
		if errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("%s is too large a number", text)
		}
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		target.SetInt(n)
		return nil
	}
}

// forgetEmptyVariables has a variable that is there and empty say nothing, as one that is not there: services and containers pass on variables that
// nobody gave a value, and an empty --listen would be every network of the machine.
func forgetEmptyVariables(k *kong.Kong) error {
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		if flag, is := v.(*kong.Flag); is && !flag.Tag.Has(configfile.EmptyTag) {
			flag.Tag.Envs = slices.DeleteFunc(slices.Clone(flag.Tag.Envs), func(name string) bool {
				value, set := os.LookupEnv(name)
				return set && value == ""
			})
			flag.Envs = flag.Tag.Envs
		}
		return next(nil)
	})
}

// The parser's words for where a value comes from, and for one that is not among those that a flag takes.
var (
	fromVariable = regexp.MustCompile(` \(from envar (\w+)="(?s:.*)"\)$`)
	notAmong     = regexp.MustCompile(`^--([a-z-]+) must be one of `)
)

// placed says of a mistake in a value which variable of the environment holds it, when one does.
func placed(model *kong.Application, args []string, err error) error {
	text := err.Error()
	if where := fromVariable.FindStringSubmatchIndex(text); where != nil {
		return fmt.Errorf("%s (it comes from the variable %s)", text[:where[0]], text[where[2]:where[3]])
	}
	flag := notAmong.FindStringSubmatch(text)
	if flag == nil || slices.ContainsFunc(args, func(word string) bool { return word == "--"+flag[1] || strings.HasPrefix(word, "--"+flag[1]+"=") }) {
		return err
	}
	variable := ""
	_ = kong.Visit(model, func(v kong.Visitable, next kong.Next) error {
		if f, is := v.(*kong.Flag); is && f.Name == flag[1] {
			for _, name := range f.Envs {
				if value, set := os.LookupEnv(name); set && !slices.Contains(f.EnumSlice(), value) {
					variable = name
				}
			}
		}
		return next(nil)
	})
	if variable == "" {
		return err
	}
	return fmt.Errorf("%w (it comes from the variable %s)", err, variable)
}
