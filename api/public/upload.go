package public

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"overcrank/api/input"
	"overcrank/farm"
)

// readUpload reads where a result goes instead of to the farm. Credentials may be references to secrets.
func readUpload(o input.Object) *farm.Upload {
	u, given := o.Filled("upload")
	if !given {
		return nil
	}
	u.Only("provider", "prefix", "outputUrl", "params")
	out := &farm.Upload{
		Provider:  u.Choice("provider", "s3", "gcs"),
		Prefix:    u.Text("prefix", input.AddressLimit),
		OutputURL: u.Text("outputUrl", input.AddressLimit),
	}
	if !u.Has("provider") {
		out.Provider = "s3"
	}
	if _, err := out.Key(anyResult); err != nil {
		u.Problem("prefix", "cannot be used: %s", err)
	}
	if out.OutputURL != "" && !webAddress(out.OutputURL) {
		u.Problem("outputUrl", "has to be an http or https address")
	}
	if !u.Need("params") {
		return out
	}
	p, isObject := u.Child("params")
	if !isObject {
		return out
	}
	p.Only("endpoint", "region", "bucket", "acl", "accessKeyId", "accessKeySecret")
	out.Params = map[string]string{}
	before := len(o.Wrong.List)
	for _, key := range []string{"region", "bucket", "accessKeyId", "accessKeySecret"} {
		out.Params[key] = p.NeedText(key, input.AddressLimit)
	}
	for _, key := range []string{"endpoint", "acl"} {
		if value := p.Text(key, input.AddressLimit); value != "" {
			out.Params[key] = value
		}
	}
	checkACL(p, out.Params["acl"])
	if len(o.Wrong.List) == before {
		checkPlace(u, out)
	}
	return out
}

// anyResult has the length of a result's name.
const anyResult = "00000000000000000000000000.mp4"

// cannedACLs are the access control lists that S3 knows by a name, and those that Google's storage knows beside them.
var cannedACLs = []string{
	"private", "public-read", "public-read-write", "authenticated-read", "aws-exec-read", "bucket-owner-read", "bucket-owner-full-control",
	"log-delivery-write", "project-private",
}

func checkACL(p input.Object, acl string) {
	if acl != "" && len(farm.SecretRefs(acl)) == 0 && !slices.Contains(cannedACLs, acl) {
		p.Problem("acl", "has to be one of %s, not %.100q", strings.Join(cannedACLs, ", "), acl)
	}
}

// bucketName is the form of a bucket's name: that of S3, and the capitals and underscores of old ones.
var bucketName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$`)

// checkPlace reports what is wrong with an upload whose fields are all there. What can be seen to be wrong is told now: found out
// at the end of a render it has cost the render.
func checkPlace(u input.Object, out *farm.Upload) {
	bucket, endpoint := out.Params["bucket"], strings.TrimSpace(out.Params["endpoint"])
	if len(farm.SecretRefs(bucket)) == 0 && (!bucketName.MatchString(bucket) || strings.Contains(bucket, "..")) {
		u.Problem("params.bucket", "%.100q is not a valid bucket name: these have 3 to 63 letters, digits, dots and hyphens", bucket)
		return
	}
	if endpoint != "" && len(farm.SecretRefs(endpoint)) == 0 && !strings.Contains(endpoint, "://") {
		u.Problem("params.endpoint", "has no scheme: write https://%[1]s, or http://%[1]s for a storage without TLS", endpoint)
		return
	}
	_, err := out.Place()
	var wrong *farm.Error
	if !errors.As(err, &wrong) {
		return
	}
	for _, f := range wrong.Fields {
		u.Wrong.Add(u.Field(f.Field), "%s", f.Text())
	}
}
