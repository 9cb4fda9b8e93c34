"""Runs modules in Wasmtime and records how much fuel each call spends.

    apt-get install binaryen && npm run oracles -- wasmtime

The corpus is `corpus/*.wat`, whose first lines name the calls. `wasm-opt -ttf` of Binaryen turns
seeded random bytes into further modules. Each call is repeated with less fuel than it needs. What a
call of the corpus prints is the output of `wasmtime run --invoke`.
"""

import base64
import json
import random
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

import wasmtime
import wasmtime_cli

CLI = Path(wasmtime_cli.__file__).parent / "wasmtime"
# The wheel does not mark it as a program.
CLI.chmod(0o755)
HERE = Path(__file__).parent
FUEL = 10_000_000
RANDOM_FUEL = 100_000
RANDOM_MODULES = 40
FEATURES = ["bulk-memory", "multivalue", "tail-call", "sign-ext", "nontrapping-float-to-int", "mutable-globals"]

config = wasmtime.Config()
config.consume_fuel = True
engine = wasmtime.Engine(config)


def call(module, has_start, entry, args, limit):
    """Fuel counts from the instantiation on if that runs a start function, and else from the call on."""
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    store.set_wasi(wasmtime.WasiConfig())
    store.set_fuel(limit if has_start else FUEL)
    outcome = "completed"
    try:
        instance = linker.instantiate(store, module)
        if not has_start:
            store.set_fuel(limit)
        function = instance.exports(store)[entry]
        types = [str(one) for one in function.type(store).params]
        function(store, *[(float if kind[0] == "f" else int)(arg) for kind, arg in zip(types, args)])
    except wasmtime.Trap as trap:
        outcome = "out_of_fuel" if trap.trap_code == wasmtime.TrapCode.OUT_OF_FUEL else "trapped"
    return {"entry": entry, "args": args, "limit": limit, "outcome": outcome, "fuel": limit - store.get_fuel()}


def printed(wasm, entry, args):
    """The output of a call, and behind it its results, each on a line."""
    with tempfile.NamedTemporaryFile(suffix=".wasm") as file:
        Path(file.name).write_bytes(wasm)
        command = [CLI, "run", "--invoke", entry, file.name, *args]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def limits_below(spent, few):
    if few:
        return sorted({max(1, spent // 2), max(1, spent - 1)})
    if spent <= 40:
        return range(1, spent + 2)
    return sorted({1, 2, spent // 3, spent // 2, spent - 2, spent - 1, spent, spent + 1})


def calls(wasm, wanted, limit, wants_output, has_start=False):
    module = wasmtime.Module(engine, wasm)
    for entry, args in wanted:
        whole = call(module, has_start, entry, args, limit)
        if wants_output and whole["outcome"] == "completed":
            whole["stdout"] = printed(wasm, entry, args)
        yield whole
        if whole["outcome"] != "out_of_fuel":
            for less in limits_below(whole["fuel"], not wants_output):
                yield call(module, has_start, entry, args, less)


def corpus():
    for file in sorted((HERE / "corpus").glob("*.wat")):
        text = file.read_text()
        wanted = [(line.split()[2], line.split()[3:]) for line in text.splitlines() if line.startswith(";; call")]
        wasm = bytes(wasmtime.wat2wasm(text))
        yield recorded(file.stem, wasm, list(calls(wasm, wanted, FUEL, True, "(start" in text)))


def random_modules():
    seed, found = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "random"), Path(folder, "random.wasm")
        while found < RANDOM_MODULES:
            seed += 1
            source.write_bytes(random.Random(seed).randbytes(4_000))
            flags = [f"--enable-{feature}" for feature in FEATURES]
            made = subprocess.run(["wasm-opt", "-ttf", source, "-o", target, "--remove-imports", *flags], capture_output=True)
            if made.returncode != 0:
                continue
            wasm = target.read_bytes()
            module = wasmtime.Module(engine, wasm)
            functions = [one for one in module.exports if isinstance(one.type, wasmtime.FuncType)]
            wanted = [(one.name, ["1"] * len(one.type.params)) for one in functions]
            found += 1
            yield recorded(f"random-{seed}", wasm, list(calls(wasm, wanted, RANDOM_FUEL, False)))


def recorded(name, wasm, made):
    return {"name": name, "wasm": base64.b64encode(wasm).decode(), "calls": made}


def main():
    binaryen = subprocess.run(["wasm-opt", "--version"], capture_output=True, text=True).stdout.split()[-1]
    modules = [*corpus(), *random_modules()]
    vectors = {"wasmtime": version("wasmtime"), "binaryen": binaryen, "modules": modules}
    lines = ",\n".join(json.dumps(one) for one in modules)
    head = json.dumps({"wasmtime": vectors["wasmtime"], "binaryen": vectors["binaryen"]})
    (HERE / "vectors.json").write_text(f'{head[:-1]}, "modules": [\n{lines}\n]}}\n')
    print(len(modules), "modules,", sum(len(one["calls"]) for one in modules), "calls")


main()
