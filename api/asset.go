package api

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"overcrank/farm"
)

// valueLimit bounds a value or an expression, in bytes. Values travel within the farm's state; files do not.
const valueLimit = 1 << 20

// assetTypes are the types of assets.
var assetTypes = []string{"audio", "data", "essential", "function", "image", "job", "script", "static", "text", "video"}

// assetReader reads the fields that an asset of a type takes; nil for a type that does not exist.
func assetReader(kind string) func(o object, a *farm.Asset) {
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

func readAssets(o object) []farm.Asset {
	list := o.list("assets")
	if len(list) > assetLimit {
		o.problem("assets", "holds %d assets; %d are allowed", len(list), assetLimit)
		return nil
	}
	assets := make([]farm.Asset, 0, len(list))
	o.objects("assets", list, "an object", func(asset object) {
		assets = append(assets, farm.Asset{})
		readAsset(asset, &assets[len(assets)-1])
	})
	return assets
}

func readAsset(o object, a *farm.Asset) {
	a.Composition = o.text("composition", addressLimit)
	if !o.need("type") {
		return
	}
	a.Type = o.choice("type", assetTypes...)
	if read := assetReader(a.Type); read != nil {
		read(o, a)
	}
}

// readLayer reads the layer that an asset is for, by name or by its number in the composition.
func readLayer(o object, a *farm.Asset) {
	a.LayerName = o.text("layerName", addressLimit)
	a.LayerIndex, _ = o.whole("layerIndex", 1, frameLimit)
	if !o.has("layerName") && !o.has("layerIndex") {
		o.problem("layerName", "is missing; name the layer, or give its number in the composition as layerIndex")
	} else if o.has("layerName") && a.LayerName == "" && kindOf(o.raw("layerName")) == kindString {
		o.problem("layerName", "is empty")
	}
}

func readTextAsset(o object, a *farm.Asset) {
	a.LayerName = o.needText("layerName", addressLimit)
	if !o.need("value") {
		return
	}
	switch kindOf(o.raw("value")) {
	case kindString:
		o.checkText("value", valueLimit)
		a.Value = o.raw("value")
	case kindNumber:
		quoted, err := json.Marshal(string(o.raw("value")))
		if err != nil {
			o.mistyped("value", kindString)
			return
		}
		a.Value = quoted
	default:
		o.mistyped("value", kindString)
	}
}

func readDataAsset(o object, a *farm.Asset) {
	readLayer(o, a)
	a.Property = o.needText("property", addressLimit)
	a.Expression = o.text("expression", valueLimit)
	switch {
	case o.has("value") && o.has("expression"):
		o.problem("expression", "cannot be given together with value")
	case o.has("value"):
		a.Value = readValue(o)
	case !o.has("expression"):
		o.problem("value", "is missing; give a value or an expression")
	}
}

func readFootageAsset(o object, a *farm.Asset) {
	readLayer(o, a)
	a.Src = readSource(o)
	a.Conform = o.boolean("conform")
	a.Name = readFileName(o, false)
}

func readStaticAsset(o object, a *farm.Asset) {
	a.Src = readSource(o)
	a.Name = readFileName(o, true)
}

func readEssentialAsset(o object, a *farm.Asset) {
	a.LayerName = o.needText("layerName", addressLimit)
	if o.need("value") {
		a.Value = readValue(o)
	}
}

// readValue takes any JSON value as it is.
func readValue(o object) json.RawMessage {
	value := o.raw("value")
	if len(value) > valueLimit {
		o.problem("value", "is longer than %d bytes; hand it over as a file", valueLimit)
	}
	return value
}

func readScriptAsset(o object, a *farm.Asset) {
	a.Src = readSource(o)
	o.objects("parameters", o.list("parameters"), "an object with key and value", func(p object) {
		a.Parameters = append(a.Parameters, farm.AssetParameter{Key: p.needText("key", nameLimit), Value: p.raw("value")})
	})
}

// readFileName reads the name under which a file is placed beside the project; it never becomes a path.
func readFileName(o object, needed bool) string {
	name := o.text("name", addressLimit)
	switch {
	case name == "" && needed && !o.has("name"):
		o.need("name")
	case len(farm.SecretRefs(name)) > 0:
		o.problem("name", "cannot refer to a secret: it names a file")
		return ""
	case o.has("name") && kindOf(o.raw("name")) == kindString && !plainFileName(name):
		o.problem("name", "has to be a plain file name, not a path")
		return ""
	}
	return name
}

func readSource(o object) string {
	if !o.need("src") {
		return ""
	}
	before := len(o.wrong.list)
	src := readAddress(o, "src")
	if src == "" && len(o.wrong.list) == before {
		o.problem("src", "is empty")
	}
	return src
}

// readAddress reads the address of a file, "" when there is none. Its scheme comes out in lower case, unless a secret holds it.
func readAddress(o object, key string) string {
	address := o.text(key, textLimit)
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
func checkAddress(o object, key, address string) {
	if refs := len(farm.SecretRefs(address)); refs > 0 {
		if strings.HasPrefix(address, "${") {
			return
		}
		address, _ = farm.ReplaceSecrets(address, func(string) (string, error) { return "secret", nil })
		if hasScheme(address, "data") && len(address) > addressLimit {
			o.problem(key, "refers to a secret within more than %d bytes of data; hand the file over, or give a web address", addressLimit)
			return
		}
	}
	if !hasScheme(address, sourceSchemes...) {
		o.problem(key, "has to be an address that begins with http://, https://, data:, s3://, file:// or farm://")
		return
	}
	if hasScheme(address, "data") {
		if !strings.Contains(address, ",") {
			o.problem(key, "is a data: address without the comma that comes before its content")
		}
		return
	}
	if len(address) > addressLimit {
		o.problem(key, "is longer than %d bytes", addressLimit)
		return
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && !strings.EqualFold(u.Scheme, "file") {
		o.problem(key, "is no complete address")
	} else if u.User != nil && hasScheme(address, "s3") {
		o.problem(key, "cannot hold a name or a password: an s3:// object is read without; hand a private one over by a presigned https:// address")
	} else if hasScheme(address, "s3") && strings.Trim(u.Path, "/") == "" {
		o.problem(key, "names no object; an s3: address is s3://bucket/key")
	}
}

func hasScheme(address string, schemes ...string) bool {
	scheme, _, found := strings.Cut(address, ":")
	return found && slices.ContainsFunc(schemes, func(s string) bool { return strings.EqualFold(s, scheme) })
}
