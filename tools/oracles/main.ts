/**
 * Runs the programs that others wrote, and records or checks what the specs compare with:
 *
 *   npm run oracles -- [NAME…] [--check] [--python PROGRAM]
 *
 * Each oracle has a virtual environment of its own in `node_modules/.cache/oracles`, made from its
 * requirements by PROGRAM (`python3` by default).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isNear } from './near.js';

const ORACLES_FOLDER = path.resolve('test/oracles');
const ENVIRONMENTS = path.resolve('node_modules/.cache/oracles');

interface Oracle {
  /** In `test/oracles`, as all files here; null for a program that needs nothing but Python. */
  readonly requirements: string | null;
  readonly script: readonly string[];
  /** The file that it records; null for a script that knows `--check` itself. */
  readonly record: string | null;
  /** Whether the record is what it prints. */
  readonly prints?: boolean;
}

const ORACLES: Readonly<Record<string, Oracle>> = {
  adapters: {
    requirements: 'adapters/requirements.txt',
    script: ['adapters/record.py'],
    record: 'adapters/vectors.json',
  },
  calculator: {
    requirements: null,
    script: ['calculator/make-vectors.py'],
    record: 'calculator/vectors.json',
    prints: true,
  },
  'cart-pole': {
    requirements: 'cart-pole/requirements.txt',
    script: ['cart-pole/record.py'],
    record: null,
  },
  embeddings: {
    requirements: 'embeddings/requirements.txt',
    script: ['embeddings/svd_scores.py'],
    record: 'embeddings/svd_scores.json',
  },
  homomorphic: {
    requirements: 'homomorphic/requirements.txt',
    script: ['homomorphic/check.py'],
    record: null,
  },
  'homomorphic-speed': {
    requirements: 'homomorphic/requirements.txt',
    script: ['homomorphic/check.py', 'speed'],
    record: null,
  },
  images: {
    requirements: 'images/requirements.txt',
    script: ['images/record.py'],
    record: 'images/vectors.json',
  },
  'language-models': {
    requirements: 'language-models/requirements.txt',
    script: ['language-models/record.py'],
    record: null,
  },
  orbits: {
    requirements: 'orbits/requirements.txt',
    script: ['orbits/record.py'],
    record: 'orbits/vectors.json',
  },
  'orbits-grid': {
    requirements: 'orbits/requirements.txt',
    script: ['orbits/record.py', 'grid'],
    record: null,
  },
  privacy: {
    requirements: 'privacy/requirements.txt',
    script: ['privacy/record.py'],
    record: 'privacy/vectors.json',
  },
  quantization: {
    requirements: 'quantization/requirements.txt',
    script: ['quantization/record.py'],
    record: 'quantization/vectors.json',
  },
  'quantized-files': {
    requirements: 'quantization/requirements-files.txt',
    script: ['quantization/read.py'],
    record: null,
  },
  sdks: {
    requirements: 'sdks/requirements.txt',
    script: ['sdks/call.py'],
    record: null,
  },
  speech: {
    requirements: 'speech/requirements.txt',
    script: ['speech/record.py'],
    record: 'speech/vectors.json',
  },
  rasters: {
    requirements: 'rasters/requirements.txt',
    script: ['rasters/record.py'],
    record: 'rasters/vectors.json',
    prints: true,
  },
  spiking: {
    requirements: 'spiking/requirements.txt',
    script: ['spiking/record.py'],
    record: null,
  },
  'spiking-numerics': {
    requirements: 'spiking/requirements-numerics.txt',
    script: ['spiking/record.py', 'numerics'],
    record: null,
  },
  synthesis: {
    requirements: 'synthesis/requirements.txt',
    script: ['synthesis/record.py'],
    record: 'synthesis/vectors.json',
  },
  'stac-client': {
    requirements: 'stac-client/requirements.txt',
    script: ['stac-client/read.py'],
    record: null,
  },
  usage: {
    requirements: 'usage/requirements.txt',
    script: ['usage/record.py'],
    record: 'usage/genai-prices.json',
    prints: true,
  },
  vectors: {
    requirements: 'vectors/requirements.txt',
    script: ['vectors/record.py'],
    record: 'vectors/vectors.json',
  },
  vision: {
    requirements: 'vision/requirements.txt',
    script: ['vision/record.py'],
    record: 'vision/vectors.json',
  },
  wasmtime: {
    requirements: 'wasmtime/requirements.txt',
    script: ['wasmtime/record.py'],
    record: 'wasmtime/vectors.json',
  },
  workflows: {
    requirements: 'workflows/requirements.txt',
    script: ['workflows/networkx-vectors.py'],
    record: 'workflows/networkx.json',
    prints: true,
  },
};

/** @throws Error when the program cannot be started or fails */
const run = (program: string, parameters: readonly string[], isKept = false): string => {
  const { status, error, stdout } = spawnSync(program, parameters, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    stdio: ['ignore', isKept ? 'pipe' : 'inherit', 'inherit'],
  });
  if (status === 0) return isKept ? stdout : '';
  throw new Error(`${[program, ...parameters].join(' ')} failed: ${error?.message ?? status}`);
};

/** The Python of an environment with these requirements, which is kept until they change. */
const pythonOf = (name: string, requirements: string | null, python: string): string => {
  if (requirements === null) return python;
  const folder = path.join(ENVIRONMENTS, name);
  const own = path.join(folder, 'bin/python');
  const installed = path.join(folder, 'installed.txt');
  const file = path.join(ORACLES_FOLDER, requirements);
  const wanted = readFileSync(file, 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return own;
  mkdirSync(folder, { recursive: true });
  run(python, ['-m', 'venv', '--clear', folder]);
  run(own, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', file]);
  writeFileSync(installed, wanted);
  return own;
};

/** Records, or compares a fresh record with the committed one and puts that back. */
const consult = (name: string, oracle: Oracle, python: string, isCheck: boolean): boolean => {
  const own = pythonOf(name, oracle.requirements, python);
  const [script = '', ...rest] = oracle.script;
  const parameters = [path.join(ORACLES_FOLDER, script), ...rest];
  if (oracle.record === null) {
    run(own, isCheck ? [...parameters, '--check'] : parameters);
    return true;
  }
  const file = path.join(ORACLES_FOLDER, oracle.record);
  const committed = readFileSync(file, 'utf8');
  try {
    const printed = run(own, parameters, oracle.prints);
    if (oracle.prints === true) writeFileSync(file, printed);
    return !isCheck || isNear(JSON.parse(committed), JSON.parse(readFileSync(file, 'utf8')));
  } finally {
    if (isCheck) writeFileSync(file, committed);
  }
};

const { values, positionals } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    python: { type: 'string', default: 'python3' },
  },
  allowPositionals: true,
});

const namedOracle = (name: string): readonly [string, Oracle] => {
  const oracle = ORACLES[name];
  if (oracle !== undefined) return [name, oracle];
  throw new Error(`no oracle ${name}; there are ${Object.keys(ORACLES).join(', ')}`);
};

const chosen = positionals.length > 0 ? positionals : Object.keys(ORACLES);
for (const [name, oracle] of chosen.map(namedOracle)) {
  console.log(`${values.check ? 'checking' : 'recording'} ${name}`);
  try {
    if (consult(name, oracle, values.python, values.check)) continue;
    console.error(`${oracle.record} differs from a fresh run`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  process.exitCode = 1;
}
