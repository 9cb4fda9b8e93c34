#!/bin/bash
# Makes an authority and, for each name given, the certificate of a node of EventStoreDB. What exists
# is left alone, so this may run at every start.
set -euo pipefail
cd /certificates

# Who reads them: the user of EventStoreDB's image.
owner=1000:1000

if [[ ! -f authority/ca.key ]]; then
  es-gencert-cli create-ca -out authority -days 3650
fi
install -m 0644 authority/ca.crt ca/ca.crt

for node in "$@"; do
  if [[ ! -f $node/node.key ]]; then
    es-gencert-cli create-node -ca-certificate authority/ca.crt -ca-key authority/ca.key \
      -out "$node" -days 3650 -dns-names "$node" -ip-addresses 127.0.0.1
  fi
  chown -R "$owner" "$node"
  chmod 0600 "$node/node.key"
done
