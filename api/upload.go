package api

import (
	"errors"

	"overcrank/farm"
)

// readUpload reads where a result goes instead of to the farm. Credentials may be references to secrets.
func readUpload(o object) *farm.Upload {
	u, given := o.filled("upload")
	if !given {
		return nil
	}
	u.only("provider", "prefix", "outputUrl", "params")
	out := &farm.Upload{
		Provider:  u.choice("provider", "s3", "gcs"),
		Prefix:    u.text("prefix", addressLimit),
		OutputURL: u.text("outputUrl", addressLimit),
	}
	if !u.has("provider") {
		out.Provider = "s3"
	}
	if _, err := out.Key(anyResult); err != nil {
		u.problem("prefix", "cannot be used: %s", err)
	}
	if out.OutputURL != "" && !webAddress(out.OutputURL) {
		u.problem("outputUrl", "has to be an http or https address")
	}
	if !u.need("params") {
		return out
	}
	p, isObject := u.child("params")
	if !isObject {
		return out
	}
	p.only("endpoint", "region", "bucket", "acl", "accessKeyId", "accessKeySecret")
	out.Params = map[string]string{}
	before := len(o.wrong.list)
	for _, key := range []string{"region", "bucket", "accessKeyId", "accessKeySecret"} {
		out.Params[key] = p.needText(key, addressLimit)
	}
	for _, key := range []string{"endpoint", "acl"} {
		if value := p.text(key, addressLimit); value != "" {
			out.Params[key] = value
		}
	}
	if len(o.wrong.list) == before {
		checkPlace(u, out)
	}
	return out
}

// anyResult has the length of a result's name.
const anyResult = "00000000000000000000000000.mp4"

// checkPlace reports what is wrong with an upload whose fields are all there.
func checkPlace(u object, out *farm.Upload) {
	_, err := out.Place()
	var wrong *farm.Error
	if !errors.As(err, &wrong) {
		return
	}
	for _, f := range wrong.Fields {
		u.wrong.add(memberPath(u.path, f.Field), "%s", f.Message)
	}
}
