import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type Clock } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type Contribution } from '#projections/cleanrooms/cleanrooms.projection.js';
import { reject } from '../cleanrooms.errors.js';
import { type RoomAction } from '../enclave-actions.port.js';
import { EnclaveHost, sealInfo } from '../enclave/enclave-host.js';
import { ENCAPSULATED_BYTES, EnclaveError } from '../enclave/enclave.engine.js';
import { demandRole } from '../room.decider.js';
import { RoomRows } from '../room-rows.js';
import { CONTRIBUTION_ROWS_MAX } from '../room-table.js';
import { Rooms } from '../rooms.js';
import { depositProduct, ROWS_METER } from './deposit.product.js';
import { roomPriceOf } from '../room-prices.js';

/** Of a sealed message, before base64: a body of the gateway has at most 4 MiB. */
export const SEALED_BYTES_MAX = 3_000_000;
const BASE64_CHARS_MAX = Math.ceil(SEALED_BYTES_MAX / 3) * 4;
/** The fewest bytes that a row takes in JSON: `[0],`. */
const ROW_BYTES_MIN = 4;
const REQUEST_MS_MAX = 60_000;
const TAG_BYTES = 16;

const Fields = z.object({
  schema_version: z.int().positive(),
  enclave_key_id: z
    .string()
    .regex(/^[\da-f]{16}$/, 'expected the enclave_key_id of an attestation'),
  sealed_rows: z.base64().min(1).max(BASE64_CHARS_MAX),
});

/** Rows that a contributor has sealed for the enclave: opened there, checked and stored here. */
@Injectable()
export class SealedDeposits {
  constructor(
    private readonly enclave: EnclaveHost,
    private readonly rooms: Rooms,
    private readonly rows: RoomRows,
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Stores all rows of a message, or none.
   * @throws DomainError
   */
  async deposit(action: RoomAction): Promise<Readonly<Record<string, unknown>>> {
    const { schema_version, enclave_key_id, sealed_rows } = fieldsOf(action.fields);
    const message = Buffer.from(sealed_rows, 'base64');
    const { cleanroomId } = action.room;
    const contributionId = contributionIdOf(cleanroomId, message);
    const state = await this.rooms.stateOf(cleanroomId);
    const room = demandRole(state, action.accountId, 'contributor');
    const isKnown = room.contributions.some((one) => one.contributionId === contributionId);
    if (isKnown || state.withdrawn.has(contributionId)) return replayed();
    await this.enclave.demandKey(enclave_key_id);
    const asked = { ...action, message, contributionId, schemaVersion: schema_version };
    const { contribution, entry } = await this.#paid(asked);
    return {
      contribution_id: contribution.contributionId,
      rows: contribution.rows,
      schema_version: contribution.schemaVersion,
      charged_micro_usd: String(entry.chargedMicroUsd),
    };
  }

  /** Holds the price of the most rows that the message can have, and charges the accepted ones. */
  async #paid(asked: Asked) {
    const { accountId, context, message, room } = asked;
    const pricedAtMs = this.clock.now();
    const price = roomPriceOf(this.prices.inForce(pricedAtMs), ROWS_METER);
    const rowsMax = Math.min(CONTRIBUTION_ROWS_MAX, Math.ceil(message.length / ROW_BYTES_MIN));
    const evidence = { cleanroomId: room.cleanroomId, contributionId: asked.contributionId };
    const order = { accountId, context, receivedAtMs: pricedAtMs };
    const held = await this.paid.admit(order, {
      purpose: depositProduct.purpose,
      lines: [price.lineOf(rowsMax)],
      rateCardVersion: price.rateCardVersion,
      evidence,
      pricedAtMs,
      requestMsMax: REQUEST_MS_MAX,
    });
    const contribution = await this.#stored(asked).catch(async (error: unknown) => {
      const reason = error instanceof DomainError ? 'refused' : 'internal_error';
      await held.release(reason).catch(() => undefined);
      throw error;
    });
    const entry = await held.capture({
      ...held.charged([price.lineOf(contribution.rows)]),
      evidence: { ...evidence, rows: contribution.rows },
      usageSource: 'counted',
      outcome: 'completed',
    });
    return { contribution, entry };
  }

  async #stored({ room, accountId, context, ...asked }: Asked): Promise<Contribution> {
    const { contributionId, schemaVersion, message } = asked;
    const { cleanroomId } = room;
    const aad = depositAad(cleanroomId, accountId, schemaVersion);
    const plaintext = await this.enclave
      .open({ info: sealInfo(cleanroomId), aad, message })
      .catch(unreadable);
    const deposit = { cleanroomId, contributionId, accountId, schemaVersion };
    return this.rows.deposit({ ...deposit, rows: rowsOf(plaintext) }, context);
  }
}

interface Asked extends RoomAction {
  readonly message: Buffer;
  readonly contributionId: string;
  readonly schemaVersion: number;
}

/** The associated data of a deposit: the message opens for this room, account and schema only. */
export const depositAad = (cleanroomId: string, accountId: string, schemaVersion: number): string =>
  ['quipu/deposit/1', cleanroomId, accountId, schemaVersion].join('\n');

/** One message is one contribution, however often it is sent. */
const contributionIdOf = (cleanroomId: string, message: Buffer): string =>
  derivedId(hash('sha256', message), cleanroomId);

/** @throws DomainError `cleanroom_deposit_invalid`, `cleanroom_deposit_too_large` */
const fieldsOf = (fields: RoomAction['fields']): z.infer<typeof Fields> => {
  const { sealed_rows: sealed } = fields;
  if (typeof sealed === 'string' && sealed.length > BASE64_CHARS_MAX) {
    const detail = `sealed_rows: expected at most ${SEALED_BYTES_MAX} bytes`;
    return reject('cleanroom_deposit_too_large', detail);
  }
  const { data, error } = Fields.safeParse(fields);
  if (!data) {
    const [issue] = error.issues;
    const detail = `${issue?.path.map(String).join('.')}: ${issue?.message}`;
    return reject('cleanroom_deposit_invalid', detail);
  }
  if (Buffer.byteLength(data.sealed_rows, 'base64') <= ENCAPSULATED_BYTES + TAG_BYTES) {
    const detail = 'sealed_rows: expected an encapsulated key and a ciphertext';
    return reject('cleanroom_deposit_invalid', detail);
  }
  return data;
};

/** The rows of an opened message, which the room checks. */
const rowsOf = (plaintext: Buffer): unknown => {
  try {
    const value: unknown = JSON.parse(plaintext.toString('utf8'));
    if (typeof value === 'object' && value !== null && 'rows' in value) return value.rows;
  } catch {
    // The rejection below says it, and quotes nothing.
  }
  return reject('cleanroom_rows_invalid', 'rows: expected a JSON object with rows');
};

const unreadable = (error: unknown): never => {
  if (!(error instanceof EnclaveError)) throw error;
  return reject(
    'cleanroom_deposit_unreadable',
    'sealed_rows: not sealed for this enclave key, room, contributor and schema version',
  );
};

const replayed = (): never =>
  reject('cleanroom_deposit_replayed', 'sealed_rows: the room has had this message already');
