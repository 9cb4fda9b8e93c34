import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CheckpointStore } from '#platform/audit/checkpoint-store.port.js';
import { type Checkpoint, parseCheckpoint } from '#platform/audit/checkpoint.js';
import { isIncluded } from '#platform/audit/merkle.js';
import {
  encodeVerifierKey,
  NoteSigner,
  parseNote,
  type SignedNote,
  type VerifierKey,
} from '#platform/audit/signed-note.js';
import { hashesAt, TILE_WIDTH, type TileRequest } from '#platform/audit/tiles.js';
import { formatProof } from '#platform/audit/tlog-proof.js';
import { type Leaf, MissingTileError, TreeReader } from '#platform/audit/tree-reader.js';
import { type EventStore, type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { type AuditErrorCode } from './audit.errors.js';
import { AUDIT_SETTINGS, type AuditSettings } from './audit.settings.js';

/** How long a caller waits until what is in the log is in a checkpoint. */
const WAIT_MS = 5_000;
/** Also for its witnesses, where it asks for them; then it continues alone. */
const WITNESSES_WAIT_MS = 2_000;
const POLL_MS = 25;

/** The last checkpoint that was published. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: string;
}

export interface ProvenLeaf extends Leaf {
  /** From the sibling of the leaf up to the child of the root. */
  readonly hashes: readonly Buffer[];
  readonly checkpoint: SignedCheckpoint;
}

export const auditError = (
  code: AuditErrorCode,
  detail: string,
  metadata?: Readonly<Record<string, unknown>>,
): DomainError => new DomainError<AuditErrorCode>(code, detail, metadata);

const notReady = (detail: string): DomainError =>
  auditError('audit_not_ready', detail, { retry_after_seconds: 1 });

/** Answers from the published tree, in any process. Nothing is handed out that it contradicts. */
@Injectable()
export class AuditLog {
  constructor(
    private readonly tree: TreeReader,
    private readonly checkpoints: CheckpointStore,
    private readonly signer: NoteSigner,
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'head' | 'readAll'>,
    @Inject(AUDIT_SETTINGS) private readonly settings: Pick<AuditSettings, 'witnesses'>,
  ) {}

  /** The key that verifies the checkpoints. */
  verifierKey(): string {
    return encodeVerifierKey(this.signer.key);
  }

  /**
   * Another text than a checkpoint as a signed note; it must not begin as one.
   * @param text ends with a line break
   */
  sign(text: string): string {
    return `${text}\n${this.signer.sign(text)}`;
  }

  /** @throws DomainError `audit_not_ready` before the first one */
  async checkpoint(): Promise<SignedCheckpoint> {
    const checkpoint = await this.#published();
    if (!checkpoint) throw notReady('no checkpoint has been published yet');
    return checkpoint;
  }

  /** @throws DomainError `tile_not_found`, `audit_not_ready` */
  async tile({ width, ...name }: TileRequest): Promise<Buffer> {
    const { size } = await this.checkpoint();
    if (name.index * TILE_WIDTH + width > hashesAt(name.level, size)) {
      throw auditError('tile_not_found', `a tree of ${size} leaves does not have this tile`);
    }
    return this.#built(this.tree.hashes(name, width));
  }

  /** @throws DomainError `leaf_not_found`, `audit_not_ready`, `audit_inconsistent` */
  async leaf(index: number, checkpoint?: SignedCheckpoint): Promise<ProvenLeaf> {
    const published = checkpoint ?? (await this.checkpoint());
    const { size, root } = published;
    if (index >= size) throw auditError('leaf_not_found', `the tree has ${size} leaves`);
    const leaf = await this.#built(this.tree.leaf(index));
    const hashes = await this.#built(this.tree.inclusion(index, size));
    if (!isIncluded({ index, size, leafHash: leaf.hash, proof: hashes, root })) {
      throw auditError('audit_inconsistent', 'the log contradicts its last checkpoint');
    }
    return { ...leaf, hashes, checkpoint: published };
  }

  /** @throws DomainError `tree_size_unknown`, `audit_not_ready` */
  async consistency(oldSize: number, size: number): Promise<readonly Buffer[]> {
    const published = await this.checkpoint();
    if (size > published.size || oldSize > size) {
      const detail = `sizes are at most ${published.size}, and the first is at most the second`;
      throw auditError('tree_size_unknown', detail);
    }
    return this.#built(this.tree.consistency(oldSize, size));
  }

  /** The root of a tree that was published, or of one before it. */
  root(size: number): Promise<Buffer> {
    return this.#built(this.tree.root(size));
  }

  /** The edge of a `Frontier` of the first leaves. @throws DomainError `audit_not_ready` */
  edge(size: number): Promise<readonly Buffer[]> {
    return this.#built(this.tree.edge(size));
  }

  /** The leaves of a request, in order. @throws DomainError `audit_not_ready` */
  async leavesOf(requestId: string): Promise<readonly ProvenLeaf[]> {
    const checkpoint = await this.upToDate();
    const leaves = await this.tree.leavesOf(requestId);
    const published = leaves.filter((leaf) => leaf < checkpoint.size);
    return Promise.all(published.map((leaf) => this.leaf(leaf, checkpoint)));
  }

  /**
   * The position of the event before a leaf; 0 for the first.
   * @throws DomainError `audit_not_ready`
   */
  async placeBefore(index: number): Promise<bigint> {
    return index === 0 ? 0n : (await this.#built(this.tree.leaf(index - 1))).position;
  }

  /**
   * The index of the leaf of the event at a position, in a tree of `size` leaves, if it has one.
   * @throws DomainError `audit_not_ready`
   */
  async indexOf(position: bigint, size: number): Promise<number | undefined> {
    return (await this.#built(this.tree.leafAt(position, size)))?.index;
  }

  /** The event of a leaf. @throws DomainError `audit_inconsistent` where the log has none */
  async eventOf({ index, position }: Leaf): Promise<RecordedEvent> {
    const after = await this.placeBefore(index);
    for await (const [event] of this.eventStore.readAll({ after, maxCount: 1 })) {
      if (event?.position === position) return event;
    }
    throw auditError('audit_inconsistent', `the log has no event at position ${position}`);
  }

  /** The leaf of the event at a position. @throws DomainError `leaf_not_found` */
  async leafAt(position: bigint, checkpoint: SignedCheckpoint): Promise<ProvenLeaf> {
    const leaf = await this.#built(this.tree.leafAt(position, checkpoint.size));
    if (!leaf) throw auditError('leaf_not_found', `no leaf is of position ${position}`);
    return this.leaf(leaf.index, checkpoint);
  }

  /**
   * A checkpoint that covers every event that is in the log now.
   * @throws DomainError `audit_not_ready` if none is published in time
   */
  async upToDate(): Promise<SignedCheckpoint> {
    const head = await this.eventStore.head();
    const endsAt = performance.now() + WAIT_MS;
    while (performance.now() < endsAt) {
      const { size, isWhole } = await this.tree.extentUpTo(this.eventStore, head);
      const checkpoint = isWhole ? await this.#published() : undefined;
      if (checkpoint && checkpoint.size >= size) return checkpoint;
      await sleep(POLL_MS);
    }
    throw notReady('the newest events are not in a checkpoint yet');
  }

  /** As `upToDate`; with the cosignatures of all witnesses, if they come in soon. */
  async cosigned(): Promise<SignedCheckpoint> {
    const endsAt = performance.now() + WITNESSES_WAIT_MS;
    let checkpoint = await this.upToDate();
    while (!this.#hasWitnesses(checkpoint) && performance.now() < endsAt) {
      await sleep(POLL_MS);
      checkpoint = await this.checkpoint();
    }
    return checkpoint;
  }

  #hasWitnesses({ note }: SignedCheckpoint): boolean {
    const signed = parseNote(note);
    return this.settings.witnesses.every(({ key }) => hasCosigned(signed, key));
  }

  async #published(): Promise<SignedCheckpoint | undefined> {
    const last = await this.checkpoints.last();
    return last && { ...parseCheckpoint(parseNote(last.note).text), note: last.note };
  }

  async #built<Result>(reading: Promise<Result>): Promise<Result> {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof MissingTileError)) throw error;
      throw notReady('the tree of the log is being built again');
    }
  }
}

/** Whether a published note has the cosignature of a witness. It was verified before. */
export const hasCosigned = ({ signatures }: SignedNote, key: VerifierKey): boolean =>
  signatures.some(({ name, id }) => name === key.name && id === key.id);

/** The proof of a leaf as text, by C2SP tlog-proof. */
export const proofOf = ({ index, hashes, checkpoint }: ProvenLeaf): string =>
  formatProof({ index, hashes, checkpoint: checkpoint.note });
