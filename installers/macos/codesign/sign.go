// Package codesign puts programs for macOS together and signs them: one Mach-O file for both processors, signed ad hoc or with the studio's
// Developer ID, and the check that such a signature holds for every page.
package codesign

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	universal "github.com/anchore/go-macholibre"
	"github.com/anchore/quill/quill/macho"
	"github.com/anchore/quill/quill/pki"
	"github.com/anchore/quill/quill/sign"
)

const (
	linkEdit = "__LINKEDIT"
	// signatureAlignment is where codesign(1) puts a signature: at a multiple of 16 bytes.
	signatureAlignment = 16
)

// Universal writes one program of several, one per processor, to path and signs each of them under the identifier: by the identity, or ad hoc
// when that is nil. Apple's processors run nothing without a signature, and an ad hoc one says only that the file is whole.
func Universal(path string, programs []string, identifier string, identity *Identity) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".signing-*")
	if err != nil {
		return fmt.Errorf("make room to sign in: %w", err)
	}
	defer os.RemoveAll(dir)
	parts := make([]string, len(programs))
	for i, program := range programs {
		data, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		parts[i] = filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(parts[i], data, 0o700); err != nil {
			return err
		}
		if err := signPart(parts[i], identifier, identity); err != nil {
			return fmt.Errorf("sign %s: %w", program, err)
		}
	}
	whole := filepath.Join(dir, "whole")
	if err := universal.Package(whole, parts...); err != nil {
		return fmt.Errorf("put %s together: %w", path, err)
	}
	if err := os.Chmod(whole, 0o755); err != nil {
		return err
	}
	return os.Rename(whole, path)
}

// signPart signs a program for one processor in place.
func signPart(path, identifier string, identity *Identity) error {
	m, err := macho.NewFile(path)
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }() // what was written is read again
	if err := unsign(m, path); err != nil {
		return err
	}
	if err := m.AddEmptyCodeSigningCmd(); err != nil {
		return err
	}
	var material pki.SigningMaterial
	if identity != nil {
		material = pki.SigningMaterial{Signer: identity.Key, Certs: slices.Clone(identity.Chain), TimestampServer: identity.TimestampServer}
		slices.Reverse(material.Certs) // the root first
	}
	// Once for the size, which the hashed part of the file names, and once for good.
	size, draft, err := sign.GenerateSigningSuperBlob(identifier, m, material, "", 0)
	if err != nil {
		return err
	}
	if err := sign.UpdateSuperBlobOffsetReferences(m, uint64(len(draft))); err != nil {
		return err
	}
	_, final, err := sign.GenerateSigningSuperBlob(identifier, m, material, "", size)
	if err != nil {
		return err
	}
	command, _, err := m.CodeSigningCmd()
	if err != nil {
		return err
	}
	if len(final) != int(command.DataSize) {
		return fmt.Errorf("the signature takes %d bytes, and there is room for %d", len(final), command.DataSize)
	}
	return m.Patch(final, len(final), uint64(command.DataOffset))
}

// unsign drops the linker's own signature, if there is one, and ends the file where the next one begins.
func unsign(m *macho.File, path string) error {
	segment := m.Segment(linkEdit)
	if segment == nil {
		return fmt.Errorf("it has no %s segment", linkEdit)
	}
	end := segment.Offset + segment.Filesz
	if m.HasCodeSigningCmd() {
		command, _, err := m.CodeSigningCmd()
		if err != nil {
			return err
		}
		end = uint64(command.DataOffset)
		if err := m.RemoveSigningContent(); err != nil {
			return err
		}
	}
	end = (end + signatureAlignment - 1) / signatureAlignment * signatureAlignment
	if err := os.Truncate(path, int64(end)); err != nil {
		return err
	}
	header := m.Segment(linkEdit).SegmentHeader
	header.Filesz = end - header.Offset
	return m.UpdateSegmentHeader(header)
}
