package windows

import (
	"context"
	"fmt"
	"os"
	"strings"

	"overcrank/installers/version"
	"overcrank/installers/windows/transform"
)

// exampleAnswers are what the transform beside the package holds: places to put a farm's own address and join token.
var exampleAnswers = []string{"SERVER=https://farm.studio.example:8080", "JOIN=ocj_PUT_YOUR_JOIN_TOKEN_HERE"}

// TransformName is the file name of the example transform.
func TransformName(v version.Version) string {
	return strings.TrimSuffix(Name(v), ".msi") + "-example.mst"
}

// WriteTransform writes a transform that gives a package answers, each written NAME=value, in the order in which they stand. Only this user may read it, since it
// may hold a join token. The transform fits all versions of the package.
func WriteTransform(ctx context.Context, msi, path string, answers []string) error {
	rows, err := Table(ctx, msi, "Property")
	if err != nil {
		return err
	}
	code := func(name string) string { return rows.Get("Property", name, "Value") }
	var properties []transform.Property
	for _, answer := range answers {
		name, value, ok := strings.Cut(answer, "=")
		if !ok || !Answer(name) {
			return fmt.Errorf("%q is not an answer: it is one of %s, with = and the value behind it", answer, strings.Join(Answers, ", "))
		}
		properties = append(properties, transform.Property{Name: name, Value: value})
	}
	made, err := transform.Make(transform.Base{ProductCode: code("ProductCode"), Version: code("ProductVersion"), UpgradeCode: code("UpgradeCode")}, properties)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, made, 0o600); err != nil {
		return fmt.Errorf("writing the transform: %w", err)
	}
	return nil
}

// writeExample writes the transform with the places for a farm's own answers, which holds no secret.
func writeExample(ctx context.Context, msi, path string) error {
	if err := WriteTransform(ctx, msi, path, exampleAnswers); err != nil {
		return err
	}
	if err := os.Chmod(path, 0o644); err != nil {
		return fmt.Errorf("letting others read the example of a transform: %w", err)
	}
	return nil
}
