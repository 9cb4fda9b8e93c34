import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { TaskThread } from '#platform/threads/task-thread.js';
import { Groth16Proof, PublicSignals, SnarkjsKey } from '../proofs.protocol.js';
import { LedgerProverError, type LedgerProverFailure } from './ledger-prover.errors.js';
import { type LedgerEnd, type LedgerTask } from './ledger-prover.protocol.js';

const PROVE_MS_MAX = 120_000;
const FOLDER = 'ledger-proof';
const PROVING_KEY = 'proving.zkey';
const VERIFICATION_KEY = 'verification-key.json';

const run = promisify(execFile);

/** The files that proving needs on this machine. */
export interface ProverFiles {
  /** The command line of snarkjs. */
  readonly snarkjs: string;
  readonly provingKey: string;
  readonly verificationKey: string;
}

/**
 * The files, or what is missing. Snarkjs is under the GPL 3.0: it is no dependency of Quipu, and
 * runs as a program of its own, installed beside Quipu or in its home.
 * @param modelFolders the last folder with keys counts, so that an operator's own ones win
 */
export const proverFilesOf = (
  home: string,
  modelFolders: readonly string[],
): ProverFiles | string => {
  const snarkjs = snarkjsFrom(import.meta.url) ?? snarkjsFrom(pathToFileURL(`${home}/`));
  if (snarkjs === null) {
    return (
      'the prover snarkjs (GPL 3.0) is not installed: ' +
      `npm install --prefix ${home} --ignore-scripts snarkjs`
    );
  }
  const folder = modelFolders
    .map((one) => path.join(one, FOLDER))
    .findLast((one) => existsSync(path.join(one, PROVING_KEY)));
  if (folder === undefined) return `no model folder has ${FOLDER}/${PROVING_KEY}`;
  const verificationKey = path.join(folder, VERIFICATION_KEY);
  return { snarkjs, provingKey: path.join(folder, PROVING_KEY), verificationKey };
};

/** The command line of the package that a module at this place would import. */
const snarkjsFrom = (place: string | URL): string | null => {
  try {
    const file = findPackageJSON('snarkjs', place);
    return file === undefined ? null : path.join(path.dirname(file), 'build', 'cli.cjs');
  } catch {
    // Node throws for an absent package.
    return null;
  }
};

/** Proves ledger statements: the witness in a thread, the proof in a process of snarkjs. */
export class LedgerProver {
  readonly #witnesses = new TaskThread<LedgerTask, Uint8Array, LedgerProverFailure>(
    new URL('./witness.worker.js', import.meta.url),
    LedgerProverError,
  );
  readonly #closing = new AbortController();

  constructor(private readonly files: ProverFiles | string) {}

  /** Null, or what is missing on this machine. */
  get missing(): string | null {
    return typeof this.files === 'string' ? this.files : null;
  }

  /** @throws LedgerProverError; the reason of the signal */
  async prove(task: LedgerTask, signal: AbortSignal): Promise<LedgerEnd> {
    const { files } = this;
    if (typeof files === 'string') throw new LedgerProverError('prover_missing', files);
    const witness = await this.#witnesses.run(task, signal);
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-proof-'));
    try {
      return await this.#run(files, folder, witness, signal);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new LedgerProverError('closed', 'the prover has closed'));
    await this.#witnesses.close();
  }

  async #run(
    { snarkjs, provingKey, verificationKey }: ProverFiles,
    folder: string,
    witness: Uint8Array,
    signal: AbortSignal,
  ): Promise<LedgerEnd> {
    const at = (name: string): string => path.join(folder, name);
    await writeFile(at('witness.wtns'), witness);
    const files = [provingKey, at('witness.wtns'), at('proof.json'), at('public.json')];
    const either = AbortSignal.any([signal, this.#closing.signal]);
    try {
      await run(process.execPath, [snarkjs, 'groth16', 'prove', ...files], {
        signal: either,
        timeout: PROVE_MS_MAX,
        env: {},
      });
    } catch (cause) {
      either.throwIfAborted();
      throw new LedgerProverError('proof_failed', 'snarkjs made no proof', { cause });
    }
    const json = async (file: string): Promise<unknown> =>
      JSON.parse(await readFile(file, 'utf8')) as unknown;
    const key = SnarkjsKey.parse(await json(verificationKey));
    if (key.protocol !== 'groth16') {
      throw new LedgerProverError('proof_failed', `${verificationKey} is no key of Groth16`);
    }
    return {
      proof: Groth16Proof.parse(await json(at('proof.json'))),
      signals: PublicSignals.parse(await json(at('public.json'))),
      key,
    };
  }
}
