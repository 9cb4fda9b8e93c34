#!/usr/bin/env python3
"""Asks a question, and proves what it cost. Python's standard library is all it needs.

    GATEWAY_URL=http://127.0.0.1:8080 GATEWAY_KEY=sk-svc-... python3 verify_charge.py

GATEWAY_LOG_KEY is the verifier key of the log, known from elsewhere. Without it the program takes the
key that the gateway states, and says so. The program computes everything itself: the leaf of each
event, the root of the tree, the signature of the log, and the price of each line.
"""

import base64
import hashlib
import json
import os
import struct
import sys
import time
import urllib.error
import urllib.request
import uuid
from fractions import Fraction
from math import ceil

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080").rstrip("/")
HASHES_MAX = 63
TRIES_MAX = 30


def call(method, path, body=None):
    """The answer and its headers. A gateway that is not ready says when to ask again: the log signs
    the newest events once a second. A repeated POST with the same key is charged once."""
    request = urllib.request.Request(URL + path, method=method)
    request.add_header("Authorization", "Bearer " + os.environ["GATEWAY_KEY"])
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", str(uuid.uuid4()))
        request.data = json.dumps(body).encode()
    for tries_left in reversed(range(TRIES_MAX)):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.read().decode(), response.headers
        except urllib.error.HTTPError as error:
            pause = error.headers.get("Retry-After")
            if error.code != 503 or pause is None or tries_left == 0:
                raise
            time.sleep(float(pause))


def demand(condition, reason):
    if not condition:
        raise SystemExit("NOT proved: " + reason)


# Ed25519 of RFC 8032, section 5.1: slow, and enough for a few signatures.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(one, other):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = one, other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(factor, point):
    product = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            product = add(product, point)
        point = add(point, point)
        factor >>= 1
    return product


def decompress(data):
    """None for bytes that are no point."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decompress((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    public, nonce = decompress(key), decompress(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if public is None or nonce is None or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    left = multiply(scalar, BASE)
    right = add(nonce, multiply(challenge, public))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def root_of(encoding, index, size, path):
    """The root that the path leads to (RFC 9162, section 2.1.3.2); None for a path that does not fit."""
    if index >= size or len(path) > HASHES_MAX:
        return None
    last = size - 1
    root = hashlib.sha256(b"\x00" + encoding).digest()
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            root = hashlib.sha256(b"\x01" + sibling + root).digest()
            while index != 0 and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            root = hashlib.sha256(b"\x01" + root + sibling).digest()
        index, last = index >> 1, last >> 1
    return root if last == 0 else None


def verify_proof(encoding, proof, verifier_key):
    """A C2SP tlog-proof: the path of a leaf, and the signed checkpoint that it leads to."""
    name, key_id, key = verifier_key.split("+", 2)
    kind, public = base64.b64decode(key)[:1], base64.b64decode(key)[1:]
    demand(kind == b"\x01", "the key of the log is of another kind")
    head, body, signatures = proof.split("\n\n")
    version, index, *path = head.split("\n")
    demand(version == "c2sp.org/tlog-proof@v1", "the proof has another form")
    origin, size, root = (body + "\n").split("\n")[:3]
    demand(origin == name, "the checkpoint is of another log")
    hashes = [base64.b64decode(line) for line in path]
    claimed = root_of(encoding, int(index.removeprefix("index ")), int(size), hashes)
    demand(claimed == base64.b64decode(root), "the event is not in the log")
    for line in signatures.splitlines():
        _, signer, text = line.split(" ")
        data = base64.b64decode(text)
        if signer == name and data[:4].hex() == key_id:
            if is_signed(public, (body + "\n").encode(), data[4:]):
                return int(size)
    demand(False, "the log has not signed the checkpoint")


def event_of(encoding):
    """The type and the data of an event, from its canonical bytes."""
    demand(encoding[0] == 1, "the encoding of the event has another version")
    texts, at = [], 17
    while at < len(encoding):
        (length,) = struct.unpack_from(">I", encoding, at)
        texts.append(encoding[at + 4 : at + 4 + length].decode())
        at += 4 + length
    return texts[1], json.loads(texts[3])


def price_of(lines):
    """The exact sum of the lines, rounded up once to a whole micro-dollar."""
    return ceil(
        sum(
            Fraction(line["quantity"] * int(line["unitPriceMicroUsd"]), line["perUnits"])
            for line in lines
        )
    )


def verify_charge(request_id, answer, verifier_key):
    demand(answer["verifier_key"] == verifier_key, "the log has another key than the known one")
    charges = []
    for event in answer["events"]:
        encoding = base64.b64decode(event["encoding"])
        size = verify_proof(encoding, event["proof"], verifier_key)
        kind, data = event_of(encoding)
        print(f"{kind} is in the log of {size} events")
        if kind == "HoldCaptured" and data["holdId"] == request_id:
            charges.append(data)
    demand(len(charges) == 1, f"the log has {len(charges)} charges of the request")
    amount = int(charges[0]["amountMicroUsd"])
    demand(amount == price_of(charges[0]["lines"]), "the charge is not the sum of its lines")
    for line in charges[0]["lines"]:
        price = f"{line['unitPriceMicroUsd']} micro-dollars for {line['perUnits']}"
        print(f"  {line['quantity']} {line['meter']} at {price}")
    return amount


def main():
    model = os.environ.get("GATEWAY_MODEL", "quipu/nano")
    messages = [{"role": "user", "content": "What is Quipu?"}]
    text, headers = call("POST", "/v1/chat/completions", {"model": model, "messages": messages})
    print(json.loads(text)["choices"][0]["message"]["content"].strip())
    request_id = headers["x-request-id"]

    answer = json.loads(call("GET", f"/audit/requests/{request_id}")[0])
    known = os.environ.get("GATEWAY_LOG_KEY")
    amount = verify_charge(request_id, answer, known or answer["verifier_key"])
    stated = round(Fraction(headers["x-quipu-cost-usd"]) * 1_000_000)
    demand(amount == stated, f"the answer states {stated} micro-dollars")

    overview = json.loads(call("GET", "/api/v1/billing/overview.php")[0])
    print(f"proved: request {request_id} cost {amount} micro-dollars")
    print(f"the balance is {overview['balance_usd']} USD")
    if not known:
        print("not proved: that the key of the log is the operator's. Set GATEWAY_LOG_KEY to check it.")


if __name__ == "__main__":
    try:
        main()
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code}: {error.read().decode()}")
