// Command tlog verifies a transparency log over HTTP with golang.org/x/mod/sumdb: its checkpoint,
// its tiles, and the proofs of the given leaves and older trees.
//
//	tlog <url> <verifier key> <leaves, with commas> <sizes, with commas>
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8

type report struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   string `json:"root"`
	Tiles  int    `json:"tiles"`
	Leaves int    `json:"leaves"`
	Trees  int    `json:"trees"`
}

func main() {
	found, err := verify(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(found)
}

func verify(url, key, leaves, sizes string) (*report, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, err
	}
	text, err := get(url + "/audit/checkpoint")
	if err != nil {
		return nil, err
	}
	tree, err := openCheckpoint(text, verifier)
	if err != nil {
		return nil, err
	}
	tiles := &tileReader{url: url}
	hashes := tlog.TileHashReader(tree, tiles)
	found := &report{Origin: verifier.Name(), Size: tree.N, Root: tree.Hash.String()}
	for _, index := range strings.Split(leaves, ",") {
		leaf, err := strconv.ParseInt(index, 10, 64)
		if err != nil {
			return nil, err
		}
		if err := checkLeaf(url, verifier, tree, hashes, leaf); err != nil {
			return nil, fmt.Errorf("leaf %d: %w", leaf, err)
		}
		found.Leaves++
	}
	for _, size := range strings.Split(sizes, ",") {
		older, err := strconv.ParseInt(size, 10, 64)
		if err != nil {
			return nil, err
		}
		if err := checkTree(url, tree, hashes, older); err != nil {
			return nil, fmt.Errorf("tree of %d: %w", older, err)
		}
		found.Trees++
	}
	found.Tiles = tiles.read
	return found, nil
}

func openCheckpoint(text []byte, verifier note.Verifier) (tlog.Tree, error) {
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() || lines[3] != "" {
		return tlog.Tree{}, fmt.Errorf("not a checkpoint: %q", opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// checkLeaf compares the proof of the log with the one that follows from its tiles.
func checkLeaf(url string, verifier note.Verifier, tree tlog.Tree, hashes tlog.HashReader, leaf int64) error {
	own, err := tlog.ProveRecord(tree.N, leaf, hashes)
	if err != nil {
		return err
	}
	stored, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, leaf)})
	if err != nil {
		return err
	}
	text, err := get(fmt.Sprintf("%s/audit/proofs/%d", url, leaf))
	if err != nil {
		return err
	}
	head, checkpoint, _ := strings.Cut(string(text), "\n\n")
	proven, err := openCheckpoint([]byte(checkpoint), verifier)
	if err != nil {
		return err
	}
	lines := strings.Split(head, "\n")
	if lines[0] != "c2sp.org/tlog-proof@v1" || lines[1] != fmt.Sprintf("index %d", leaf) {
		return fmt.Errorf("not a proof: %q", head)
	}
	proof, err := parseHashes(lines[2:])
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(proof, proven.N, proven.Hash, leaf, stored[0]); err != nil {
		return err
	}
	if proven.N == tree.N && !equal(proof, own) {
		return errors.New("the proof is not the one of the tiles")
	}
	return nil
}

func checkTree(url string, tree tlog.Tree, hashes tlog.HashReader, older int64) error {
	root, err := tlog.TreeHash(older, hashes)
	if err != nil {
		return err
	}
	own, err := tlog.ProveTree(tree.N, older, hashes)
	if err != nil {
		return err
	}
	text, err := get(fmt.Sprintf("%s/audit/consistency?from=%d&to=%d", url, older, tree.N))
	if err != nil {
		return err
	}
	var answer struct {
		Hashes []string `json:"hashes"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	proof, err := parseHashes(answer.Hashes)
	if err != nil {
		return err
	}
	if !equal(proof, own) {
		return errors.New("the proof is not the one of the tiles")
	}
	return tlog.CheckTree(proof, tree.N, tree.Hash, older, root)
}

func parseHashes(lines []string) ([]tlog.Hash, error) {
	parsed := make([]tlog.Hash, len(lines))
	for i, line := range lines {
		bytes, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || copy(parsed[i][:], bytes) != tlog.HashSize {
			return nil, fmt.Errorf("not a hash: %q", line)
		}
	}
	return parsed, nil
}

func equal(one, other []tlog.Hash) bool {
	if len(one) != len(other) {
		return false
	}
	for i := range one {
		if one[i] != other[i] {
			return false
		}
	}
	return true
}

// tileReader gets tiles of C2SP tlog-tiles, whose paths have no height.
type tileReader struct {
	url  string
	read int
}

func (r *tileReader) Height() int { return tileHeight }

func (r *tileReader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	found := make([][]byte, len(tiles))
	for i, tile := range tiles {
		path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight))
		bytes, err := get(r.url + "/audit/tile/" + path)
		if err != nil {
			return nil, err
		}
		found[i] = bytes
		r.read++
	}
	return found, nil
}

func (r *tileReader) SaveTiles([]tlog.Tile, [][]byte) {}

func get(url string) ([]byte, error) {
	response, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return body, err
}
