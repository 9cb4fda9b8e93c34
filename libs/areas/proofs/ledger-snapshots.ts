import { hash } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { KeptSnapshot } from './kept-snapshot.js';
import { leafOf, SALT_PURPOSE } from './ledger-leaves.js';
import {
  LEAVES,
  type LedgerEnd,
  ledgerProverEngine,
  type LedgerTask,
} from './ledger-prover.engine.js';
import { ProofKeyBook } from './proof-key-book.js';
import { ProofRunner } from './proof-runner.js';
import { BATCH_MAX, type Claim } from './proofs.engine.js';
import { ProofsFailureError } from './proofs.failures.js';
import {
  type LedgerCheckpoint,
  SnapshotSource,
  type SourceLeaf,
  type Statement,
} from './snapshot-source.port.js';

/** As many proofs as endpoint 22 verifies at once. */
export const LEAVES_MAX = LEAVES * BATCH_MAX;
/** The root that a chain begins with, so that no proof counts for another statement. */
const START: Readonly<Record<Statement, string>> = { ledger_balances: '0', orbital_bundles: '1' };
const ACCOUNT = 'ledger-snapshots';

export interface LedgerSnapshot {
  readonly statement: Statement;
  readonly checkpoint: LedgerCheckpoint;
  /** The instant of its last event, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly provenAtMs: number;
  readonly key: RegisteredKey;
  readonly root: string;
  readonly total: bigint;
  /** In the order of the proofs: 16 in each. */
  readonly leaves: readonly OwnedLeaf[];
  /** A chain: the root and the total of each begin the next one. */
  readonly claims: readonly Claim[];
}

export type OwnedLeaf = SourceLeaf & LedgerTask['leaves'][number];

/** Proves statements about the ledger at the newest checkpoint, each once at a time. */
@Injectable()
export class LedgerSnapshots implements OnModuleDestroy {
  readonly #stopping = new AbortController();
  readonly #saltKey: Buffer;
  readonly #kept: Readonly<Record<Statement, KeptSnapshot<LedgerSnapshot>>>;

  constructor(
    private readonly source: SnapshotSource,
    private readonly keys: ProofKeyBook,
    private readonly proofs: ProofRunner,
    private readonly tasks: Tasks,
    @Inject(SECRETS) secrets: Pick<Secrets, 'key'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#saltKey = secrets.key(SALT_PURPOSE);
    this.#kept = {
      ledger_balances: new KeptSnapshot(clock),
      orbital_bundles: new KeptSnapshot(clock),
    };
  }

  onModuleDestroy(): void {
    this.#stopping.abort(new Error('the process stops'));
  }

  /** @throws ProofsFailureError while there is none; DomainError `audit_not_ready` */
  async newest(statement: Statement): Promise<LedgerSnapshot> {
    const checkpoint = await this.source.checkpoint();
    return this.#kept[statement].newest(checkpoint.position, () =>
      this.#prove(statement, checkpoint),
    );
  }

  async #prove(statement: Statement, checkpoint: LedgerCheckpoint): Promise<LedgerSnapshot> {
    const { position } = checkpoint;
    const { atMs, leaves: found } = await this.source.leavesAt(statement, position, LEAVES_MAX);
    demandProvable(found);
    const leaves = found.map((one) => ({ ...one, ...leafOf(one, position, this.#saltKey) }));
    const first = await this.#proven(leaves.slice(0, LEAVES), position, [START[statement], '0']);
    const ends = [first];
    for (let from = LEAVES; from < leaves.length; from += LEAVES) {
      const before = ends.at(-1)?.signals ?? [];
      ends.push(await this.#proven(leaves.slice(from, from + LEAVES), position, before));
    }
    const claims = ends.map(({ proof, signals }) => ({ proof, signals }));
    const [root = '', total = ''] = ends.at(-1)?.signals ?? [];
    return {
      statement,
      checkpoint,
      atMs,
      provenAtMs: this.clock.now(),
      key: await this.#verified(first.key, claims),
      root,
      total: BigInt(total),
      leaves,
      claims,
    };
  }

  #proven(
    part: readonly OwnedLeaf[],
    position: bigint,
    [root = '', total = '']: readonly string[],
  ): Promise<LedgerEnd> {
    const leaves = part.map(({ account, balance, salt }) => ({ account, balance, salt }));
    return this.#run({ leaves, before: { root, total }, position: position.toString() });
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
  async #verified(made: LedgerEnd['key'], claims: Claim[]): Promise<RegisteredKey> {
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

const demandProvable = (leaves: readonly SourceLeaf[]): void => {
  if (leaves.length > LEAVES_MAX) {
    const detail = `there are more than ${LEAVES_MAX} leaves, the most that are proven`;
    throw new ProofsFailureError('unprovable', detail);
  }
  if (leaves.some(({ amount }) => amount < 0n)) {
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
