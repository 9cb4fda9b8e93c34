import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { type BalancesAt, LedgerBalances, type LedgerCheckpoint } from './ledger-balances.port.js';
import { leafOf, SALT_PURPOSE } from './ledger-leaves.js';
import {
  CHAIN_START,
  LEAVES,
  type LedgerEnd,
  ledgerProverEngine,
  type LedgerTask,
} from './ledger-prover.engine.js';
import { ProofKeyBook } from './proof-key-book.js';
import { ProofRunner } from './proof-runner.js';
import { BATCH_MAX, type Claim } from './proofs.engine.js';
import { ProofsFailureError } from './proofs.failures.js';

/** As many proofs as endpoint 22 verifies at once. */
export const ACCOUNTS_MAX = LEAVES * BATCH_MAX;
/** Between the beginnings of two snapshots. */
export const SNAPSHOT_EVERY_MS = 60_000;
/** A request waits so long for the first snapshot. */
const FIRST_WAIT_MS = 8_000;
const ACCOUNT = 'ledger-snapshots';

export interface LedgerSnapshot {
  readonly checkpoint: LedgerCheckpoint;
  /** The instant of its last event, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly provenAtMs: number;
  readonly key: RegisteredKey;
  readonly root: string;
  readonly totalMicroUsd: bigint;
  /** In the order of the leaves: 16 in each proof. */
  readonly leaves: readonly LedgerTask['leaves'][number][];
  /** A chain: the root and the total of each begin the next one. */
  readonly claims: readonly Claim[];
}

/** Proves the balances of the ledger at the newest checkpoint, one snapshot at a time. */
@Injectable()
export class LedgerSnapshots implements OnModuleDestroy {
  readonly #stopping = new AbortController();
  readonly #saltKey: Buffer;
  #kept: LedgerSnapshot | null = null;
  /** The one that runs or, where it failed, the last one. */
  #proving: Promise<LedgerSnapshot> | null = null;
  #isProving = false;
  #begunAtMs = -Infinity;

  constructor(
    private readonly balances: LedgerBalances,
    private readonly keys: ProofKeyBook,
    private readonly proofs: ProofRunner,
    private readonly tasks: Tasks,
    @Inject(SECRETS) secrets: Pick<Secrets, 'key'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#saltKey = secrets.key(SALT_PURPOSE);
  }

  onModuleDestroy(): void {
    this.#stopping.abort(new Error('the process stops'));
  }

  /**
   * The last snapshot. Where the log has a newer checkpoint, the next one is begun meanwhile.
   * @throws ProofsFailureError while there is none
   */
  async newest(): Promise<LedgerSnapshot> {
    const checkpoint = await this.balances.checkpoint();
    if (this.#kept?.checkpoint.position === checkpoint.position) return this.#kept;
    const proving = this.#begin(checkpoint);
    if (this.#kept) return this.#kept;
    const waiting = new AbortController();
    const wait = sleep(FIRST_WAIT_MS, null, { signal: waiting.signal }).catch(() => null);
    const first = await Promise.race([proving, wait]).finally(() => {
      waiting.abort();
    });
    if (first) return first;
    throw new ProofsFailureError('proving', 'the ledger is being proven; try again');
  }

  /** The proving that runs; where the last one began too recently, that one with its error. */
  #begin(checkpoint: LedgerCheckpoint): Promise<LedgerSnapshot> {
    const now = this.clock.now();
    const isEarly = now - this.#begunAtMs < SNAPSHOT_EVERY_MS;
    if (this.#proving && (this.#isProving || isEarly)) return this.#proving;
    this.#begunAtMs = now;
    this.#isProving = true;
    this.#proving = this.#prove(checkpoint)
      .then((snapshot) => (this.#kept = snapshot))
      .finally(() => {
        this.#isProving = false;
      });
    // A request that waits for it reports the error.
    this.#proving.catch(() => undefined);
    return this.#proving;
  }

  async #prove(checkpoint: LedgerCheckpoint): Promise<LedgerSnapshot> {
    const { position } = checkpoint;
    const balances = await this.balances.at(position, ACCOUNTS_MAX);
    demandProvable(balances);
    const leaves = balances.accounts.map((one) => leafOf(one, position, this.#saltKey));
    const ends: LedgerEnd[] = [];
    let before: LedgerTask['before'] = {
      root: CHAIN_START.root.toString(),
      total: CHAIN_START.total.toString(),
    };
    for (let from = 0; from < leaves.length; from += LEAVES) {
      const part = leaves.slice(from, from + LEAVES);
      const end = await this.#run({ leaves: part, before, position: position.toString() });
      const [root = '', total = ''] = end.signals;
      before = { root, total };
      ends.push(end);
    }
    const claims = ends.map(({ proof, signals }) => ({ proof, signals }));
    const key = await this.#verified(ends[0]?.key, claims);
    return {
      checkpoint,
      atMs: balances.atMs,
      provenAtMs: this.clock.now(),
      key,
      root: before.root,
      totalMicroUsd: BigInt(before.total),
      leaves,
      claims,
    };
  }

  async #run(task: LedgerTask): Promise<LedgerEnd> {
    try {
      const { value } = await this.tasks
        .run(ledgerProverEngine, task, this.#stopping.signal)
        .next();
      if (value) return value;
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      throw failureOf(error);
    }
    throw new ProofsFailureError('away', 'the process stops');
  }

  /** Nothing is handed out that endpoint 22 would not verify. */
  async #verified(made: LedgerEnd['key'] | undefined, claims: Claim[]): Promise<RegisteredKey> {
    if (!made) throw new ProofsFailureError('unprovable', 'the ledger has no accounts');
    const key = await this.keys.withHash(hash('sha256', JSON.stringify(made)));
    if (!key) {
      const detail =
        'the proving key of this installation belongs to no registered key: register its ' +
        'verification-key.json with `quipu proof-key register`';
      throw new ProofsFailureError('prover_missing', detail);
    }
    const task = { kind: 'verify', key: made, claims } as const;
    const end = await this.proofs.run(ACCOUNT, { ...task }, this.#stopping.signal);
    if (end?.verified.every(Boolean)) return key;
    throw new ProofsFailureError('failed', 'the proof of the ledger does not hold');
  }
}

const demandProvable = ({ accounts }: BalancesAt): void => {
  if (accounts.length > ACCOUNTS_MAX) {
    const detail = `the ledger has more than ${ACCOUNTS_MAX} accounts, the most that are proven`;
    throw new ProofsFailureError('unprovable', detail);
  }
  if (accounts.some(({ microUsd }) => microUsd < 0n)) {
    const detail = 'the statement is false: an account has a balance below zero';
    throw new ProofsFailureError('unprovable', detail);
  }
};

const failureOf = (error: TaskError): ProofsFailureError => {
  const { code, message } = error;
  const options = { cause: error };
  switch (code) {
    case 'prover_missing':
      return new ProofsFailureError('prover_missing', message, options);
    case 'no_worker': {
      const detail =
        'no worker has the prover snarkjs (GPL 3.0) installed, so the ledger is not proven';
      return new ProofsFailureError('prover_missing', detail, options);
    }
    case 'statement_false':
      return new ProofsFailureError('unprovable', message, options);
    case 'busy':
    case 'worker_lost':
    case 'expired':
    case 'closed':
      return new ProofsFailureError('away', 'the ledger cannot be proven now; try again', options);
    default:
      return new ProofsFailureError('failed', 'the prover failed', options);
  }
};
