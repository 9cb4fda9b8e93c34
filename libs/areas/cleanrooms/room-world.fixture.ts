import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { type Column, roomEvents, roomNumberEvents } from '#events/cleanrooms/cleanroom.events.js';
import { BLOB_TIMES } from '#platform/blobs/blob.times.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { StoredBlobs } from '#platform/blobs/stored-blobs.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { FaultyEventStore } from '#platform/runtime/faulty-stores.fake.js';
import { openSecrets, type Secrets } from '#platform/secrets/secrets.js';
import { AnswerRunner } from './answer-runner.js';
import { AskRoomCommand, AskRoomHandler, type AnsweredQuestion } from './ask-room.handler.js';
import { ROWS_METER, SPENDS_METER } from './cleanroom-query.product.js';
import { CreateRoomHandler, CreateRoomCommand, type NewRoom } from './create-room.handler.js';
import { ChangeRoomCommand, ChangeRoomHandler } from './change-room.handler.js';
import { QueryAdmission } from './query-admission.js';
import { RoomRows } from './room-rows.js';
import { type AskedQuery } from './room-query.js';
import { Rooms } from './rooms.js';
import { ANALYST, COLUMNS, CONTRIBUTOR, idOf, OWNER } from './rooms.fixture.js';
import { StoredAnswers } from './stored-answers.js';

export const NOW = Date.parse('2026-11-25T20:00:00.000Z');
const PRICE = { unitPriceMicroUsd: '10000', perUnits: 1 };

class Prices extends MeterPrices {
  override inForce() {
    const prices = new Map([SPENDS_METER, ROWS_METER].map((meter) => [meter, PRICE] as const));
    return { rateCardVersion: 3, prices };
  }
}

/** The services of one process on the stores of the world. */
export interface RoomProcess {
  readonly rooms: Rooms;
  readonly rows: RoomRows;
  readonly answers: StoredAnswers;
  readonly runner: AnswerRunner;
  readonly ask: AskRoomHandler;
}

/** A log, blobs and secrets, with as many processes as a test opens. */
export class RoomWorld {
  readonly log = new FaultyEventStore();
  readonly ledger = new FakeLedger();
  readonly clock = { now: () => NOW };
  readonly #processes: RoomProcess[] = [];
  #blobs!: StoredBlobs;
  #secrets!: Secrets;
  #folder = '';
  #requests = 0;

  async begin(): Promise<void> {
    this.#folder = await mkdtemp(path.join(tmpdir(), 'quipu-rooms-'));
    this.#secrets = await openSecrets({ directory: this.#folder });
    this.#blobs = new StoredBlobs({
      objects: new FileObjectStore(path.join(this.#folder, 'blobs')),
      secrets: this.#secrets,
      clock: this.clock,
      logger: pino({ level: 'silent' }),
      times: BLOB_TIMES,
    });
  }

  async end(): Promise<void> {
    for (const { runner } of this.#processes) await runner.onApplicationShutdown();
    await this.#blobs.close();
    this.#secrets.close();
    await rm(this.#folder, { recursive: true });
  }

  open(): RoomProcess {
    const codec = new EventCodec([...roomEvents, ...roomNumberEvents]);
    const rooms = new Rooms(this.log, codec);
    const rows = new RoomRows(rooms, this.#blobs, this.#secrets, this.clock);
    const answers = new StoredAnswers(this.#blobs, rooms);
    const runner = new AnswerRunner(rows);
    const paid = new PaidRequests(this.ledger, { settleMsMax: 5_000 }, this.clock);
    const admission = new QueryAdmission(paid, new Prices(), this.clock);
    const ask = new AskRoomHandler(rooms, admission, runner, answers, this.clock);
    const opened = { rooms, rows, answers, runner, ask };
    this.#processes.push(opened);
    return opened;
  }

  context(actor = `user:${OWNER}`) {
    this.#requests += 1;
    return contextOf(idOf(3, this.#requests), actor);
  }

  /** A room with an analyst, a contributor and a schema. @returns its id */
  async create(
    { rooms }: RoomProcess,
    more: Partial<NewRoom> = {},
    columns: readonly Column[] = COLUMNS,
  ): Promise<string> {
    const room = {
      ...{ accountId: OWNER, name: 'Wait times', totalEpsilon: '4', totalDelta: '0' },
      ...{ rule: 'pure', contributorsMin: 1 },
      participants: [
        { accountId: ANALYST, role: 'analyst' },
        { accountId: CONTRIBUTOR, role: 'contributor' },
      ],
      ...more,
    } as const satisfies NewRoom;
    const creating = new CreateRoomCommand(room, this.context());
    const { cleanroomId } = await new CreateRoomHandler(rooms, this.clock).execute(creating);
    const change = { type: 'RegisterSchema', data: { by: OWNER, columns } } as const;
    const changing = new ChangeRoomCommand(cleanroomId, change, this.context());
    await new ChangeRoomHandler(rooms, this.clock).execute(changing);
    return cleanroomId;
  }

  deposit(
    { rows }: RoomProcess,
    cleanroomId: string,
    values: readonly (readonly unknown[])[],
    contributionId = idOf(1, 1),
  ) {
    const deposit = { cleanroomId, contributionId, accountId: CONTRIBUTOR, schemaVersion: 1 };
    return rows.deposit({ ...deposit, rows: values }, this.context());
  }

  ask(
    { ask }: RoomProcess,
    cleanroomId: string,
    asked: Partial<AskedQuery>,
    more: { readonly accountId?: string; readonly signal?: AbortSignal } = {},
  ): Promise<AnsweredQuestion> {
    const question = {
      ...{ cleanroomId, accountId: more.accountId ?? ANALYST, receivedAtMs: NOW },
      asked: { aggregate: 'count', groupBy: [], where: [], ...asked } as const,
      context: this.context(`user:${ANALYST}`),
    };
    const signal = more.signal ?? new AbortController().signal;
    return ask.execute(new AskRoomCommand(question, signal));
  }
}

/** Waits of two clinics, in quarters of an hour. */
export const waits = (count: number): readonly (readonly unknown[])[] =>
  Array.from({ length: count }, (_, row) => [row % 4 === 0 ? 'south' : 'north', (row % 9) / 4]);
