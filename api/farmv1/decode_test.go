package farmv1

import (
	"testing"

	"overcrank/api/apitest"
)

// decoders are the readers of JSON bodies, with a body that each takes.
var decoders = apitest.Decoders{Each: map[string]apitest.Decoder{
	"stand-in":      apitest.Reads(func(b []byte) (any, error) { return decodeStandIn(b) }, `{"name": "Gotham-Bold", "face": "Inter-Bold"}`),
	"secret change": apitest.Reads(func(b []byte) (any, error) { return decodeSecretChange(b) }, `{"machineTags": ["vault"]}`),
	"key change":    apitest.Reads(func(b []byte) (any, error) { return decodeKeyChange(b) }, `{"dropOld": true}`),
	"review":        apitest.Reads(func(b []byte) (any, error) { return decodeReview(b) }, `{"for": "client", "password": "secret", "download": true, "takes": true, "expiresAt": "2030-01-01T00:00:00Z"}`),
	"comment":       apitest.Reads(func(b []byte) (any, error) { return decodeComment(b) }, `{"text": "t", "frame": 3, "drawing": [{"colour": "red", "points": [1, 2]}], "verdict": "approved", "inside": true}`),
	"again":         apitest.Reads(func(b []byte) (any, error) { return decodeAgain(b) }, `{"frames": [{"start": 12}, {"start": 40, "end": 47}], "whole": true}`),
	"team":          apitest.Reads(func(b []byte) (any, error) { return decodeTeam(b) }, `{"name": "n"}`),
	"token":         apitest.Reads(func(b []byte) (any, error) { return decodeToken(program)(b) }, `{"name": "n", "role": "artist", "expiresAt": "2030-01-01T00:00:00Z"}`),
	"person":        apitest.Reads(func(b []byte) (any, error) { return decodeToken(person)(b) }, `{"name": "n", "role": "artist", "email": "n@studio.example"}`),
	"token change":  apitest.Reads(func(b []byte) (any, error) { return decodeTokenChange(person)(b) }, `{"name": "n", "role": "viewer", "expiresAt": null}`),
}}

func TestEveryDecoder(t *testing.T) { decoders.Test(t) }

func FuzzDecode(f *testing.F) { decoders.Fuzz(f) }
