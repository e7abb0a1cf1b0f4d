package command

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"overcrank/raftstore/record"
)

// asLogged reads the JSON of a command as encoding/json does, which earlier releases read their logs with, in little more than half of its time.
var asLogged = jsonv1.DefaultOptionsV1()

// Kind is the first byte of an encoded command. Numbers are never reused.
type Kind byte

// Definition is what the log has to know of a kind of command: what it is called there, and how it is read.
type Definition struct {
	Kind Kind
	Type reflect.Type

	readJSON, readPacked func(body []byte) (Command, error) // of commandVersion and submitVersion; the second may be nil
}

// packing is a command that is written in submitVersion.
type packing interface {
	appendTo(out []byte, pack *record.Packers) ([]byte, error)
}

// Define defines a command that lies in the log as JSON.
func Define[C Command](kind Kind) Definition {
	return Definition{Kind: kind, Type: reflect.TypeFor[C](), readJSON: func(body []byte) (Command, error) {
		var cmd C
		if err := json.Unmarshal(body, &cmd, asLogged); err != nil {
			return nil, fmt.Errorf("read command %T: %w", cmd, err)
		}
		return cmd, nil
	}}
}

// DefinePacked defines a command that packs itself into the log, of which version 1 was JSON; read reads what it packs.
func DefinePacked[C Command](kind Kind, read func(body []byte) (C, error)) Definition {
	d := Define[C](kind)
	d.readPacked = func(body []byte) (Command, error) {
		cmd, err := read(body)
		if err != nil {
			return nil, err
		}
		return cmd, nil
	}
	return d
}
