package public

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"overcrank/api/input"
	"overcrank/farm"
)

// valueLimit bounds a value or an expression, in bytes. Values travel within the farm's state; files do not.
const valueLimit = 1 << 20

// assetTypes are the types of assets.
var assetTypes = []string{"audio", "data", "essential", "function", "image", "job", "script", "static", "text", "video"}

// assetReader reads the fields that an asset of a type takes; nil for a type that does not exist.
func assetReader(kind string) func(o input.Object, a *farm.Asset) {
	switch kind {
	case "text":
		return readTextAsset
	case "data":
		return readDataAsset
	case "image", "video", "audio":
		return readFootageAsset
	case "static":
		return readStaticAsset
	case "essential":
		return readEssentialAsset
	case "script":
		return readScriptAsset
	case "function":
		return readFunctionAsset
	case "job":
		return readJobAsset
	default:
		return nil
	}
}

// ReadAssets reads the assets of a job, which stand in its field assets.
func ReadAssets(o input.Object) []farm.Asset {
	list := o.List("assets")
	if len(list) > assetLimit {
		o.Problem("assets", "holds %d assets; %d are allowed", len(list), assetLimit)
		return nil
	}
	assets := make([]farm.Asset, 0, len(list))
	o.Objects(list, "an object", func(asset input.Object) {
		assets = append(assets, farm.Asset{})
		readAsset(asset, &assets[len(assets)-1])
	})
	return assets
}

func readAsset(o input.Object, a *farm.Asset) {
	a.Composition = o.Text("composition", input.AddressLimit)
	if !o.Need("type") {
		return
	}
	a.Type = o.Choice("type", assetTypes...)
	if read := assetReader(a.Type); read != nil {
		read(o, a)
	}
}

// readLayer reads the layer that an asset is for, by name or by its number in the composition.
func readLayer(o input.Object, a *farm.Asset) {
	a.LayerName = o.Text("layerName", input.AddressLimit)
	a.LayerIndex, _ = o.Whole("layerIndex", 1, frameLimit)
	if !o.Has("layerName") && !o.Has("layerIndex") {
		o.Problem("layerName", "is missing; name the layer, or give its number in the composition as layerIndex")
	} else if o.Has("layerName") && a.LayerName == "" && input.KindOf(o.Raw("layerName")) == input.KindString {
		o.Problem("layerName", "is empty")
	}
}

func readTextAsset(o input.Object, a *farm.Asset) {
	a.LayerName = o.NeedText("layerName", input.AddressLimit)
	if !o.Need("value") {
		return
	}
	switch input.KindOf(o.Raw("value")) {
	case input.KindString:
		o.CheckText("value", valueLimit)
		a.Value = o.Raw("value")
	case input.KindNumber:
		quoted, err := json.Marshal(string(o.Raw("value")))
		if err != nil {
			o.Mistyped("value", input.KindString)
			return
		}
		a.Value = quoted
	default:
		o.Mistyped("value", input.KindString)
	}
}

func readDataAsset(o input.Object, a *farm.Asset) {
	readLayer(o, a)
	a.Property = o.NeedText("property", input.AddressLimit)
	a.Expression = o.Text("expression", valueLimit)
	switch {
	case o.Has("value") && o.Has("expression"):
		o.Problem("expression", "cannot be given together with value")
	case o.Has("value"):
		a.Value = readValue(o)
	case !o.Has("expression"):
		o.Problem("value", "is missing; give a value or an expression")
	}
}

func readFootageAsset(o input.Object, a *farm.Asset) {
	readLayer(o, a)
	a.Src = readSource(o)
	a.Conform = o.Boolean("conform")
	a.Name = readFileName(o, false)
}

func readStaticAsset(o input.Object, a *farm.Asset) {
	a.Src = readSource(o)
	a.Name = readFileName(o, true)
}

func readEssentialAsset(o input.Object, a *farm.Asset) {
	a.LayerName = o.NeedText("layerName", input.AddressLimit)
	if o.Need("value") {
		a.Value = readValue(o)
	}
}

// readValue takes any JSON value as it is.
func readValue(o input.Object) json.RawMessage {
	value := o.Raw("value")
	if len(value) > valueLimit {
		o.Problem("value", "is longer than %d bytes; hand it over as a file", valueLimit)
	}
	return value
}

func readScriptAsset(o input.Object, a *farm.Asset) {
	a.Src = readSource(o)
	o.Objects(o.List("parameters"), "an object with key and value", func(p input.Object) {
		a.Parameters = append(a.Parameters, farm.AssetParameter{Key: p.NeedText("key", input.NameLimit), Value: p.Raw("value")})
	})
}

// readFileName reads the name under which a file is placed beside the project; it never becomes a path.
func readFileName(o input.Object, needed bool) string {
	name := o.Text("name", input.AddressLimit)
	switch {
	case name == "" && needed && !o.Has("name"):
		o.Need("name")
	case len(farm.SecretRefs(name)) > 0:
		o.Problem("name", "cannot refer to a secret: it names a file")
		return ""
	case o.Has("name") && input.KindOf(o.Raw("name")) == input.KindString && !input.PlainFileName(name):
		o.Problem("name", "has to be a plain file name, not a path")
		return ""
	}
	return name
}

func readSource(o input.Object) string {
	if !o.Need("src") {
		return ""
	}
	before := len(o.Wrong.List)
	src := readAddress(o, "src")
	if src == "" && len(o.Wrong.List) == before {
		o.Problem("src", "is empty")
	}
	return src
}

// readAddress reads the address of a file, "" when there is none. Its scheme comes out in lower case, unless a secret holds it.
func readAddress(o input.Object, key string) string {
	address := o.Text(key, input.TextLimit)
	if strings.TrimSpace(address) == "" {
		return ""
	}
	checkAddress(o, key, address)
	if strings.HasPrefix(address, "${") {
		return address
	}
	scheme, rest, _ := strings.Cut(address, ":")
	return strings.ToLower(scheme) + ":" + rest
}

// sourceSchemes are those of a src: the public interface's, and farm:// for files handed over to POST /api/farm/v1/files.
var sourceSchemes = []string{"http", "https", "data", "s3", "file", "farm"}

// checkAddress looks at an address as far as it does not stand in secrets.
func checkAddress(o input.Object, key, address string) {
	if refs := len(farm.SecretRefs(address)); refs > 0 {
		if strings.HasPrefix(address, "${") {
			return
		}
		address, _ = farm.ReplaceSecrets(address, func(string) (string, error) { return "secret", nil })
		if hasScheme(address, "data") && len(address) > input.AddressLimit {
			o.Problem(key, "refers to a secret within more than %d bytes of data; hand the file over, or give a web address", input.AddressLimit)
			return
		}
	}
	if !hasScheme(address, sourceSchemes...) {
		o.Problem(key, "has to be an address that begins with http://, https://, data:, s3://, file:// or farm://")
		return
	}
	if hasScheme(address, "data") {
		if !strings.Contains(address, ",") {
			o.Problem(key, "is a data: address without the comma that comes before its content")
		}
		return
	}
	if len(address) > input.AddressLimit {
		o.Problem(key, "is longer than %d bytes", input.AddressLimit)
		return
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && !strings.EqualFold(u.Scheme, "file") {
		o.Problem(key, "is not a complete address")
	} else if u.User != nil && hasScheme(address, "s3") {
		o.Problem(key, "cannot hold a name or a password: an s3:// object is read without; hand a private one over by a presigned https:// address")
	} else if hasScheme(address, "s3") && strings.Trim(u.Path, "/") == "" {
		o.Problem(key, "names no object; an s3: address is s3://bucket/key")
	}
}

func hasScheme(address string, schemes ...string) bool {
	scheme, _, found := strings.Cut(address, ":")
	return found && slices.ContainsFunc(schemes, func(s string) bool { return strings.EqualFold(s, scheme) })
}
