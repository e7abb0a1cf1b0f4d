package hosts

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// offload is the length of the header before each frame (struct virtio_net_hdr of linux/virtio_net.h). It says which checksums and
// segments the kernel left to a network card, and goes with the frame to its receiver, where they are no longer needed.
const offload = 10

// largestFrame is what segmentation that is left to the card can give, with all headers.
const largestFrame = offload + 1<<16 + 64

// port is the switch's end of a host's link.
type port struct {
	link string
	file *os.File
}

// openPort reads and writes the raw frames of a link.
func openPort(link string) (*port, error) {
	device, err := net.InterfaceByName(link)
	if err != nil {
		return nil, fmt.Errorf("find the link %s: %w", link, err)
	}
	every := uint16(unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8) // in the order of the network
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the link %s: %w", link, err)
	}
	for _, option := range []int{unix.PACKET_VNET_HDR, unix.PACKET_IGNORE_OUTGOING} {
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, option, 1); err != nil {
			return nil, errors.Join(fmt.Errorf("open the link %s: %w", link, err), unix.Close(fd))
		}
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 8<<20) // without the right to it, a burst loses frames as anywhere
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: every, Ifindex: device.Index}); err != nil {
		return nil, errors.Join(fmt.Errorf("open the link %s: %w", link, err), unix.Close(fd))
	}
	return &port{link: link, file: os.NewFile(uintptr(fd), link)}, nil
}

// read gives each frame that comes from the host to carry, with its header, until the port is closed. carry must not keep it.
func (p *port) read(carry func(frame []byte)) {
	buffer := make([]byte, largestFrame)
	for {
		n, err := p.file.Read(buffer)
		if errors.Is(err, unix.ENETDOWN) {
			continue // told once, when the link goes
		}
		if err != nil {
			return
		}
		if n > offload {
			carry(buffer[:n])
		}
	}
}

// write sends a frame to the host. One that the link does not take is lost, as on any network.
func (p *port) write(frame []byte) { _, _ = p.file.Write(frame) }

func (p *port) close() { _ = p.file.Close() }
