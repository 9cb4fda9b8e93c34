#!/bin/sh
# Verifies the seal of a package with OpenSSL, GNU tar and sha256sum, without a network:
#
#   sh verify.sh package.tar [SHA-256 of seal.pub.pem]
#
# It verifies the signature of the manifest and every file of the content. The licence, the chain of
# the keys and the proof of the log are verified by verify.mjs, which needs Node.
set -eu
export LC_ALL=C

fail() {
  echo "NOT verified: $1" >&2
  exit 1
}

[ $# -ge 1 ] || { echo 'Usage: sh verify.sh package.tar [SHA-256 of seal.pub.pem]' >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xf "$1" -C "$folder" --exclude=content.tar || fail "$1 is not a tar archive"
hash_of() { sha256sum "$1" | cut -d ' ' -f 1; }

key=$(hash_of "$folder/seal.pub.pem")
[ $# -lt 2 ] || [ "$key" = "$2" ] || fail 'seal.pub.pem is not the known key'
openssl pkeyutl -verify -rawin -pubin -inkey "$folder/seal.pub.pem" \
  -in "$folder/manifest.json" -sigfile "$folder/manifest.json.sig" >/dev/null 2>&1 ||
  fail 'manifest.json, its signature or seal.pub.pem is altered'

content() { tar -xOf "$1" content.tar; }
files=$(grep -o '"path":"[^"]*","sha256":"[0-9a-f]*"' "$folder/manifest.json" |
  sed 's/"path":"\(.*\)","sha256":"\(.*\)"/\2 \1/')
archive=$(echo "$files" | sed -n 's/ content\.tar$//p')
altered=$(echo "$files" | sed '/ content\.tar$/d' | while read -r hash name; do
  found=$(content "$1" | tar -xOf - "$name" 2>/dev/null | sha256sum | cut -d ' ' -f 1)
  [ "$found" = "$hash" ] || printf ' %s' "$name"
done)
[ -z "$altered" ] || fail "altered in content.tar:$altered"
[ "$(content "$1" | sha256sum | cut -d ' ' -f 1)" = "$archive" ] ||
  fail 'content.tar is altered between its files'

echo "The seal and every file are verified. The SHA-256 of seal.pub.pem is $key."
