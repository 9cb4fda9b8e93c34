import { Inject, Injectable } from '@nestjs/common';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import {
  type Contribution,
  type RoomRecord,
} from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from './cleanrooms.errors.js';
import { demandRole } from './room.decider.js';
import { type CodedRow, codedRows } from './room-table.js';
import { Rooms } from './rooms.js';

export interface Deposit {
  readonly cleanroomId: string;
  /** Of the caller: a repeat with the same rows changes nothing. */
  readonly contributionId: string;
  readonly accountId: string;
  readonly schemaVersion: number;
  /** Arrays of values in the order of the columns, not checked yet. */
  readonly rows: unknown;
}

/**
 * The rows of rooms. Each contribution is a blob under a key of its own, which a withdrawal
 * destroys. Rows are read inside the process only: no route, event or log line has one.
 */
@Injectable()
export class RoomRows {
  constructor(
    private readonly rooms: Rooms,
    private readonly blobs: Blobs,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'subjects'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Checks every row against the schema and stores them all, or none.
   * @throws DomainError
   */
  async deposit(deposit: Deposit, context: CommandContext): Promise<Contribution> {
    const { cleanroomId, contributionId, accountId, schemaVersion } = deposit;
    const { schema } = demandRole(await this.rooms.stateOf(cleanroomId), accountId, 'contributor');
    if (!schema) return reject('cleanroom_schema_missing', 'the room has no schema yet');
    if (schema.version !== schemaVersion) {
      const detail = `the schema of the room is ${schema.version}`;
      return reject('cleanroom_schema_superseded', detail);
    }
    const rows = codedRows(schema, deposit.rows);
    const owner = subjectOf(cleanroomId, contributionId);
    const { address: blob } = await this.blobs.put(bytesOf(rows), { owner });
    const data = {
      ...{ cleanroomId, contributionId, accountId, schemaVersion },
      ...{ rows: rows.length, blob, acceptedAt: instant(this.clock) },
    };
    const command = { type: 'AcceptContribution', data } as const;
    const { state } = await this.rooms.run(cleanroomId, command, context);
    await this.retain(cleanroomId, contributionId);
    const stored = state.room?.contributions.find((one) => one.contributionId === contributionId);
    return stored ?? reject('cleanroom_contribution_not_found', 'the contribution was withdrawn');
  }

  /** The rows of all contributions. @throws BlobError for a contribution that was withdrawn */
  async read({ cleanroomId, contributions }: RoomRecord): Promise<readonly CodedRow[]> {
    const rows: CodedRow[] = [];
    for (const { contributionId, blob } of contributions) {
      const ref = { address: blob, owner: subjectOf(cleanroomId, contributionId) };
      for (const row of await this.#rowsOf(ref)) rows.push(row);
    }
    return rows;
  }

  /** Keeps the blob of a contribution that is in the room. Repeating it changes nothing. */
  async retain(cleanroomId: string, contributionId: string): Promise<void> {
    const { room } = await this.rooms.stateOf(cleanroomId);
    const found = room?.contributions.find((one) => one.contributionId === contributionId);
    if (!found) return;
    const ref = { address: found.blob, owner: subjectOf(cleanroomId, contributionId) };
    await this.blobs.retainOrReport(ref, holderOf(contributionId));
  }

  /** Destroys the key of a withdrawn contribution, and frees its blob. */
  async destroy(cleanroomId: string, contributionId: string, blob: string): Promise<void> {
    const owner = subjectOf(cleanroomId, contributionId);
    await this.secrets.subjects.erase(owner);
    await this.blobs.release({ address: blob, owner }, holderOf(contributionId));
  }

  async #rowsOf(ref: BlobRef): Promise<readonly CodedRow[]> {
    const pieces: Uint8Array[] = [];
    for await (const piece of (await this.blobs.open(ref)).content) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as readonly CodedRow[];
  }
}

const subjectOf = (cleanroomId: string, contributionId: string): string =>
  `cleanroom:${cleanroomId}/${contributionId}`;

const holderOf = (contributionId: string): string => `contribution:${contributionId}`;

async function* bytesOf(rows: readonly CodedRow[]): AsyncGenerator<Uint8Array, void, void> {
  yield await Promise.resolve(Buffer.from(JSON.stringify(rows)));
}
