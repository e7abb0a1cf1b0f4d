package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"overcrank/cmd/overcrank/client"
)

// serverFlags say which farm a command speaks to, and as whom.
type serverFlags struct {
	Server    string `help:"Base address of the farm." default:"http://127.0.0.1:8080" env:"OVERCRANK_SERVER"`
	Token     string `help:"API token." env:"OVERCRANK_TOKEN"`
	TokenFile string `help:"File that holds the API token, such as admin.token in a farm's data folder." type:"path" env:"OVERCRANK_TOKEN_FILE"`
}

// client makes the client that the flags describe.
func (s serverFlags) client() (*client.Client, error) {
	token := s.Token
	if token == "" && s.TokenFile != "" {
		raw, err := os.ReadFile(s.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("read the token: %w", err)
		}
		token = strings.TrimSpace(string(raw))
	}
	if token == "" {
		return nil, errors.New("no token: give --token-file (a farm keeps its first token in admin.token in its data folder), --token, or set OVERCRANK_TOKEN")
	}
	return &client.Client{Server: strings.TrimSuffix(s.Server, "/"), Token: token}, nil
}
