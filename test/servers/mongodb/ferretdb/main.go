// Serves FerretDB, a server of MongoDB's wire protocol, with SQLite behind it.
//
// Usage: ferretdb <host:port> <folder of the data>
//
// It ends on SIGTERM and SIGINT. FerretDB's own command cannot be built from the module proxy: the
// file that holds its version is generated and is not in the module.
//
// MongoDB promises that a write to one document is atomic. FerretDB v1 reads a document, decides,
// and writes it back, so that of two updates with a condition both may find it met. Here clients
// are therefore relayed to it, and of all their writes one is under way at a time.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// In the folder of the data, by a relative name: the name of a socket may have 100 bytes.
const socket = "ferretdb.sock"

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: ferretdb <host:port> <folder of the data>"))
	}
	if err := serve(os.Args[1], os.Args[2]); err != nil {
		fail(err)
	}
}

func serve(address, folder string) error {
	if err := os.Chdir(folder); err != nil {
		return err
	}
	// A process that was killed leaves it behind.
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{Unix: socket},
		Handler:   "sqlite",
		SQLiteURL: "file:./",
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	go accept(listener)
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return server.Run(ended)
}

func accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			fail(err)
		}
		go relay(client)
	}
}

var writing sync.Mutex

// relay carries one client's commands and their replies until either side hangs up.
func relay(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer server.Close()
	for {
		command, err := readMessage(client)
		if err != nil {
			return
		}
		reply, err := exchange(server, command)
		if err != nil {
			return
		}
		if _, err = client.Write(reply); err != nil {
			return
		}
	}
}

func exchange(server net.Conn, command []byte) ([]byte, error) {
	if isWrite(command) {
		writing.Lock()
		defer writing.Unlock()
	}
	if _, err := server.Write(command); err != nil {
		return nil, err
	}
	return readMessage(server)
}

// The limit that MongoDB and FerretDB tell their clients.
const messageBytesMax = 48_000_000

// A message begins with its length and three more numbers of four bytes.
const headerBytes = 16

func readMessage(from net.Conn) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(from, length[:]); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(length[:])
	if size < headerBytes || size > messageBytesMax {
		return nil, fmt.Errorf("a message of %d bytes", size)
	}
	message := make([]byte, size)
	copy(message, length[:])
	_, err := io.ReadFull(from, message[len(length):])
	return message, err
}

const opMsg = 2013

// In an OP_MSG: the flags, the kind of the first section, the length of its document and the type of
// the document's first field, whose name is the command.
const commandAt = headerBytes + 4 + 1 + 4 + 1

var reads = map[string]bool{
	"aggregate": true, "count": true, "find": true, "getMore": true, "hello": true, "ping": true,
}

// isWrite says so of everything that is not known to read.
func isWrite(message []byte) bool {
	if len(message) < commandAt || binary.LittleEndian.Uint32(message[12:]) != opMsg {
		return false
	}
	name, _, _ := bytes.Cut(message[commandAt:], []byte{0})
	return !reads[string(name)]
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
