// Command witness cosigns the checkpoints of one log, as C2SP tlog-witness says, with the
// implementations of golang.org/x/mod/sumdb and github.com/transparency-dev/formats.
//
//	witness <verifier key of the log>
//
// It prints its address and its own verifier key, each on a line, and serves until it is killed.
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	cosignature "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type witness struct {
	mutex  sync.Mutex
	logKey note.Verifier
	signer note.Signer
	tree   tlog.Tree
}

func main() {
	logKey, err := note.NewVerifier(os.Args[1])
	check(err)
	secret, public, err := note.GenerateKey(rand.Reader, "witness.test/go")
	check(err)
	signer, err := cosignature.NewSignerForCosignatureV1(secret)
	check(err)
	key, err := cosignature.VKeyToCosignatureV1(public)
	check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Printf("http://%s\n%s\n", listener.Addr(), key)
	w := &witness{logKey: logKey, signer: signer}
	http.HandleFunc("POST /add-checkpoint", w.add)
	check(http.Serve(listener, nil))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func (w *witness) add(answer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusBadRequest)
		return
	}
	head, checkpoint, found := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	size, isOld := strings.CutPrefix(lines[0], "old ")
	oldSize, err := strconv.ParseInt(size, 10, 64)
	if !found || !isOld || err != nil {
		http.Error(answer, "malformed", http.StatusBadRequest)
		return
	}
	opened, err := note.Open([]byte(checkpoint), note.VerifierList(w.logKey))
	if err != nil {
		http.Error(answer, err.Error(), http.StatusForbidden)
		return
	}
	tree, err := parse(opened.Text, w.logKey.Name())
	if err != nil || oldSize > tree.N {
		http.Error(answer, "malformed", http.StatusBadRequest)
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if oldSize != w.tree.N {
		answer.Header().Set("Content-Type", "text/x.tlog.size")
		answer.WriteHeader(http.StatusConflict)
		fmt.Fprintf(answer, "%d\n", w.tree.N)
		return
	}
	if err := w.consistent(tree, lines[1:]); err != nil {
		http.Error(answer, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	signed, err := note.Sign(&note.Note{Text: opened.Text}, w.signer)
	if err != nil {
		http.Error(answer, err.Error(), http.StatusInternalServerError)
		return
	}
	w.tree = tree
	_, signature, _ := strings.Cut(string(signed), "\n\n")
	io.WriteString(answer, signature)
}

func parse(text, origin string) (tlog.Tree, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] != origin {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint of %s", origin)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

func (w *witness) consistent(tree tlog.Tree, lines []string) error {
	if w.tree.N == 0 {
		if len(lines) > 0 {
			return fmt.Errorf("a proof for an empty tree")
		}
		return nil
	}
	proof := make(tlog.TreeProof, len(lines))
	for i, line := range lines {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		proof[i] = hash
	}
	return tlog.CheckTree(proof, tree.N, tree.Hash, w.tree.N, w.tree.Hash)
}
