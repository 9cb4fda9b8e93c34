"""Has TenSEAL, which is SEAL in C++, decrypt the ciphertexts of the client and the results of the engine.

    check.py [speed]

With `speed` it also compares operations per second on one thread. TenSEAL 0.3.16 is the last version
that reads the format of SEAL 4.1.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import tenseal.sealapi as seal

MEASURED_SECONDS = 2
TOLERANCE = {"CKKS": 0.02, "BFV": 0}


def context_of(parameters):
    scheme = parameters["scheme"].upper()
    made = seal.EncryptionParameters(getattr(seal.SCHEME_TYPE, scheme))
    degree = parameters["degree"]
    made.set_poly_modulus_degree(degree)
    made.set_coeff_modulus(seal.CoeffModulus.Create(degree, parameters["coefficientBits"]))
    if scheme == "BFV":
        made.set_plain_modulus(seal.PlainModulus.Batching(degree, parameters["plainBits"]))
    return scheme, seal.SEALContext(made, True, seal.SEC_LEVEL_TYPE.TC128)


class Reader:
    def __init__(self, folder, one):
        self.folder = folder
        self.scheme, self.context = context_of(one["parameters"])
        key = seal.SecretKey()
        key.load(self.context, str(folder / one["secret_key"]))
        self.decryptor = seal.Decryptor(self.context, key)
        self.key = key

    def ciphertext(self, name):
        found = seal.Ciphertext(self.context)
        found.load(self.context, str(self.folder / name))
        return found

    def values(self, name):
        plain = seal.Plaintext()
        self.decryptor.decrypt(self.ciphertext(name), plain)
        if self.scheme == "CKKS":
            return seal.CKKSEncoder(self.context).decode_double(plain)
        return seal.BatchEncoder(self.context).decode_int64(plain)


def check(reader, one):
    apart = 0
    stride = one["stride"]
    inputs = reader.values(one["input"])
    for at, row in enumerate(one["rows"]):
        for index, value in enumerate(row):
            apart = max(apart, abs(inputs[at * stride + index] - value))
    for result in one["results"]:
        values = reader.values(result["file"])
        for at, value in enumerate(result["values"]):
            apart = max(apart, abs(values[at * stride] - value))
    print(f"{one['name']}: furthest {apart:.2g} apart in {1 + len(one['results'])} ciphertexts")
    return apart <= TOLERANCE[reader.scheme]


def per_second(run):
    started = time.perf_counter()
    runs = 0
    while time.perf_counter() - started < MEASURED_SECONDS:
        run()
        runs += 1
    return runs / (time.perf_counter() - started)


def compare_speed(reader, one):
    evaluator = seal.Evaluator(reader.context)
    generator = seal.KeyGenerator(reader.context, reader.key)
    relinearization, galois = seal.RelinKeys(), seal.GaloisKeys()
    generator.create_relin_keys(relinearization)
    # The Galois element of a rotation by one.
    generator.create_galois_keys([3], galois)
    given = reader.ciphertext(one["input"])
    output = seal.Ciphertext()
    rotate = evaluator.rotate_vector if reader.scheme == "CKKS" else evaluator.rotate_rows

    def multiply():
        evaluator.multiply(given, given, output)
        evaluator.relinearize_inplace(output, relinearization)

    native = {
        "multiply": per_second(multiply),
        "rotate": per_second(lambda: rotate(given, 1, galois, output)),
        "add": per_second(lambda: evaluator.add(given, given, output)),
    }
    for name, speed in one["speed"].items():
        print(
            f"{one['name']} {name}: {speed:.0f}/s, TenSEAL {native[name]:.0f}/s, "
            f"ratio {speed / native[name]:.2f}"
        )


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    modes = ["--speed"] if "speed" in sys.argv else []
    program = ["node", "dist/tools/oracles/homomorphic.main.js", temporary, *modes]
    subprocess.run(program, check=True)
    failed = False
    for one in json.loads((folder / "check.json").read_text())["sets"]:
        reader = Reader(folder, one)
        failed |= not check(reader, one)
        if modes:
            compare_speed(reader, one)
    sys.exit(1 if failed else 0)
