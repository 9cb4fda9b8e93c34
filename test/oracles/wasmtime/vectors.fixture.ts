import { readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { hash } from 'node:crypto';
import path from 'node:path';
import { type WasmTask } from '#engines/wasm/wasm.protocol.js';

/** A call as Wasmtime ran it. */
export interface RecordedCall {
  readonly entry: string;
  readonly args: readonly string[];
  /** The fuel that it was given. */
  readonly limit: number;
  readonly outcome: 'completed' | 'trapped' | 'out_of_fuel';
  readonly fuel: number;
  /** Its output, and its results one on each line; recorded for some calls. */
  readonly stdout?: string;
}

export interface RecordedModule {
  readonly name: string;
  /** In base64. */
  readonly wasm: string;
  readonly calls: readonly RecordedCall[];
}

interface Vectors {
  readonly wasmtime: string;
  readonly modules: readonly RecordedModule[];
}

/** The record of `record.py`. */
export const VECTORS = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'vectors.json'), 'utf8'),
) as Vectors;

/** A module of the corpus, in base64. */
export const moduleOf = (name: string): string => {
  const found = VECTORS.modules.find((module) => module.name === name);
  if (!found) throw new Error(`there is no module ${name} among the vectors`);
  return found.wasm;
};

/** A module as the engine takes it, with generous limits. */
export const wasmTaskOf = (wasm: string, changes: Partial<WasmTask> = {}): WasmTask => {
  const module = Buffer.from(wasm, 'base64');
  return {
    moduleDeflated: deflateRawSync(module).toString('base64'),
    moduleSha256: hash('sha256', module),
    moduleBytes: module.length,
    entryPoint: '_start',
    args: [],
    stdin: '',
    memoryLimitMb: 256,
    fuelLimit: 10_000_000,
    wallMsMax: 10_000,
    ...changes,
  };
};
