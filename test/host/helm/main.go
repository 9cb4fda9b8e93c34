// Decodes manifests of Kubernetes from standard input, as strictly as an API server does: each
// document must be of a known kind, and each field known, of the right type and given once.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	factory := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict)
	decoder := factory.UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(os.Stdin))
	faults := 0
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && len(bytes.TrimSpace(document)) > 0 {
			_, _, err = decoder.Decode(document, nil, nil)
		}
		if err != nil {
			faults++
			fmt.Fprintf(os.Stderr, "document %d: %v\n", number, err)
		}
	}
	if faults > 0 {
		os.Exit(1)
	}
}
