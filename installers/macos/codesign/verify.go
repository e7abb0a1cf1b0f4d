package codesign

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"debug/macho"
	"encoding/binary"
	"errors"
	"fmt"

	cms "github.com/github/smimesign/ietf-cms"
)

// ErrSignature is wrapped by every error about a program whose signature is missing, malformed or not true.
var ErrSignature = errors.New("the program's signature is not valid")

// Numbers of Apple's cs_blobs.h (xnu, bsd/sys).
const (
	loadCodeSignature = 0x1d
	magicSuperBlob    = 0xfade0cc0
	magicDirectory    = 0xfade0c02
	magicWrapper      = 0xfade0b01
	slotDirectory     = 0
	slotCMS           = 0x10000
	hashSHA256        = 2
	directoryHeader   = 44 // up to and with spare2
	teamVersion       = 0x20200
	maxBlobs          = 64
)

// Flags of a signature.
const (
	AdHoc           = 0x2     // signed by nobody
	HardenedRuntime = 0x10000 // what notarization asks for
)

// Code is the signed program for one processor.
type Code struct {
	CPU        macho.Cpu
	Identifier string
	Team       string
	Flags      uint32
	Pages      int
	// Hash names exactly this program: what a code requirement calls its cdhash.
	Hash [20]byte
	// Chain is who signed, the key's certificate first; nil when signed ad hoc.
	Chain []*x509.Certificate
}

// Verify checks the signature of each processor's part of a program: that it covers every page and that each page is as it was. A signature
// that is not ad hoc must also lead to one of the roots.
func Verify(program []byte, roots *x509.CertPool) ([]Code, error) {
	fat, err := macho.NewFatFile(bytes.NewReader(program))
	if errors.Is(err, macho.ErrNotFat) {
		code, err := verifyPart(program, roots)
		if err != nil {
			return nil, err
		}
		return []Code{code}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	var all []Code
	for _, arch := range fat.Arches {
		end := uint64(arch.Offset) + uint64(arch.Size)
		if end > uint64(len(program)) {
			return nil, fmt.Errorf("%w: the part for %s is cut short", ErrSignature, arch.Cpu)
		}
		code, err := verifyPart(program[arch.Offset:end], roots)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arch.Cpu, err)
		}
		all = append(all, code)
	}
	return all, nil
}

func verifyPart(program []byte, roots *x509.CertPool) (Code, error) {
	m, err := macho.NewFile(bytes.NewReader(program))
	if err != nil {
		return Code{}, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	for _, load := range m.Loads {
		raw := load.Raw()
		if len(raw) < 16 || m.ByteOrder.Uint32(raw) != loadCodeSignature {
			continue
		}
		at, size := m.ByteOrder.Uint32(raw[8:]), m.ByteOrder.Uint32(raw[12:])
		if uint64(at)+uint64(size) > uint64(len(program)) {
			return Code{}, fmt.Errorf("%w: it is cut short", ErrSignature)
		}
		blobs, err := superBlob(program[at : at+size])
		if err != nil {
			return Code{}, err
		}
		code, err := verifyDirectory(program[:at], blobs)
		if err != nil {
			return Code{}, err
		}
		code.CPU = m.Cpu
		return code, code.verifySigner(blobs, roots)
	}
	return Code{}, fmt.Errorf("%w: there is none", ErrSignature)
}

// superBlob takes the signature's parts apart, by their slots. Each is returned with its header.
func superBlob(data []byte) (map[uint32][]byte, error) {
	if len(data) < 12 || binary.BigEndian.Uint32(data) != magicSuperBlob {
		return nil, fmt.Errorf("%w: it begins otherwise than a signature", ErrSignature)
	}
	count := int(binary.BigEndian.Uint32(data[8:]))
	if count > maxBlobs || len(data) < 12+8*count {
		return nil, fmt.Errorf("%w: %d parts", ErrSignature, count)
	}
	blobs := make(map[uint32][]byte, count)
	for i := range count {
		slot, at := binary.BigEndian.Uint32(data[12+8*i:]), uint64(binary.BigEndian.Uint32(data[16+8*i:]))
		if at+8 > uint64(len(data)) {
			return nil, fmt.Errorf("%w: part %#x is cut short", ErrSignature, slot)
		}
		length := uint64(binary.BigEndian.Uint32(data[at+4:]))
		if length < 8 || at+length > uint64(len(data)) {
			return nil, fmt.Errorf("%w: part %#x is cut short", ErrSignature, slot)
		}
		if _, twice := blobs[slot]; twice {
			return nil, fmt.Errorf("%w: part %#x is there twice", ErrSignature, slot)
		}
		blobs[slot] = data[at : at+length]
	}
	return blobs, nil
}

// verifyDirectory compares every page before the signature, and every other part of the signature, with the directory of hashes.
func verifyDirectory(pages []byte, blobs map[uint32][]byte) (Code, error) {
	d := blobs[slotDirectory]
	if len(d) < directoryHeader+8 || binary.BigEndian.Uint32(d) != magicDirectory {
		return Code{}, fmt.Errorf("%w: it has no directory of hashes", ErrSignature)
	}
	number := func(at int) uint32 { return binary.BigEndian.Uint32(d[at:]) }
	hashes, special, count, limit := uint64(number(16)), uint64(number(24)), uint64(number(28)), uint64(number(32))
	hashSize, hashType, pageBits := d[36], d[37], d[39]
	switch {
	case hashSize != sha256.Size || hashType != hashSHA256:
		return Code{}, fmt.Errorf("%w: hashes of kind %d, not SHA-256", ErrSignature, hashType)
	case pageBits < 12 || pageBits > 14:
		return Code{}, fmt.Errorf("%w: pages of 2^%d bytes", ErrSignature, pageBits)
	case limit != uint64(len(pages)):
		return Code{}, fmt.Errorf("%w: it covers %d of %d bytes", ErrSignature, limit, len(pages))
	case special > maxBlobs || hashes < directoryHeader+special*sha256.Size || hashes+count*sha256.Size > uint64(len(d)):
		return Code{}, fmt.Errorf("%w: its hashes lie outside it", ErrSignature)
	}
	size := uint64(1) << pageBits
	if count != (limit+size-1)/size {
		return Code{}, fmt.Errorf("%w: %d hashes of %d bytes", ErrSignature, count, limit)
	}
	for i := range count {
		got := sha256.Sum256(pages[i*size : min((i+1)*size, limit)])
		if !bytes.Equal(got[:], d[hashes+i*sha256.Size:][:sha256.Size]) {
			return Code{}, fmt.Errorf("%w: page %d was changed", ErrSignature, i)
		}
	}
	for slot := uint64(1); slot <= special; slot++ {
		want := d[hashes-slot*sha256.Size:][:sha256.Size]
		blob, there := blobs[uint32(slot)]
		if got := sha256.Sum256(blob); there && !bytes.Equal(got[:], want) || !there && !bytes.Equal(want, make([]byte, sha256.Size)) {
			return Code{}, fmt.Errorf("%w: its part %d was changed", ErrSignature, slot)
		}
	}
	code := Code{Flags: number(12), Pages: int(count), Identifier: text(d, number(20))}
	if number(8) >= teamVersion && len(d) >= 52 && number(48) != 0 {
		code.Team = text(d, number(48))
	}
	whole := sha256.Sum256(d)
	copy(code.Hash[:], whole[:])
	return code, nil
}

// text is the NUL-terminated string at an offset, "" outside of data.
func text(data []byte, at uint32) string {
	if uint64(at) >= uint64(len(data)) {
		return ""
	}
	s, _, _ := bytes.Cut(data[at:], []byte{0})
	return string(s)
}

func (c *Code) verifySigner(blobs map[uint32][]byte, roots *x509.CertPool) error {
	wrapper := blobs[slotCMS]
	if c.Flags&AdHoc != 0 {
		if len(wrapper) > 8 {
			return fmt.Errorf("%w: it says that nobody signed, and somebody did", ErrSignature)
		}
		return nil
	}
	if len(wrapper) <= 8 || binary.BigEndian.Uint32(wrapper) != magicWrapper {
		return fmt.Errorf("%w: it does not say who signed", ErrSignature)
	}
	signed, err := cms.ParseSignedData(wrapper[8:])
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	options := x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}}
	chains, err := signed.VerifyDetached(blobs[slotDirectory], options)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSignature, err)
	}
	if len(chains) != 1 || len(chains[0]) == 0 || len(chains[0][0]) == 0 {
		return fmt.Errorf("%w: it does not say who signed", ErrSignature)
	}
	c.Chain = chains[0][0]
	return nil
}
