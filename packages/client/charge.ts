import { type Fields, fieldsOf, listOf, textOf, wholeOf } from './fields.js';
import { bytesOf, checkProof } from './inclusion-proof.js';
import { demand } from './proof.error.js';
import { decodeEvent, type RecordedEvent } from './recorded-event.js';

/** One line of a charge: `quantity` units at `unitPriceMicroUsd` for every `perUnits`. */
export interface ChargedLine {
  readonly meter: string;
  readonly quantity: bigint;
  readonly unitPriceMicroUsd: bigint;
  readonly perUnits: bigint;
}

/** The answer of `GET /audit/requests/{request_id}`, as far as it is read. */
export interface AuditedRequest {
  readonly request_id: string;
  readonly verifier_key: string;
  readonly events: readonly { readonly encoding: string; readonly proof: string }[];
}

/** A charge that follows from signed events alone. */
export interface VerifiedCharge {
  readonly requestId: string;
  readonly status: 'charged' | 'free' | 'open';
  readonly amountMicroUsd: bigint;
  readonly lines: readonly ChargedLine[];
  /** Null unless the request was charged. */
  readonly rateCardVersion: bigint | null;
  /** Of the account, after the charge. Null unless the hold has ended. */
  readonly availableMicroUsd: bigint | null;
  /** Number of events in the smallest tree that has all events of the request. */
  readonly treeSize: bigint;
}

/** The exact sum of the lines, rounded up once to a whole micro-dollar. */
export const priceOf = (lines: readonly ChargedLine[]): bigint => {
  const divisor = lines.reduce((product, { perUnits }) => product * perUnits, 1n);
  const sum = lines.reduce(
    (total, { quantity, unitPriceMicroUsd, perUnits }) =>
      total + (quantity * unitPriceMicroUsd * divisor) / perUnits,
    0n,
  );
  return (sum + divisor - 1n) / divisor;
};

/**
 * Proves that every event of the request is in the log that the key has signed, and recomputes the
 * charge from its lines. It does not prove that the units were used, nor that the rate card has
 * these prices: the archive of a statement proves the prices.
 * @param verifierKey the key of the log, known from elsewhere
 * @throws ProofError naming the first claim that does not hold
 */
export const verifyCharge = async (
  { request_id: requestId, verifier_key: stated, events }: AuditedRequest,
  verifierKey: string,
): Promise<VerifiedCharge> => {
  demand(stated === verifierKey, `the key of the log is ${stated}, and the known one is another`);
  const sizes: bigint[] = [];
  const recorded: RecordedEvent[] = [];
  for (const { encoding, proof } of events) {
    const verdict = await checkProof({ encoding, proof, verifierKey });
    demand(verdict.isIncluded, 'an event is not in the log: its bytes or its proof were changed');
    demand(verdict.isSigned !== null, 'this platform cannot check signatures: it has no Ed25519');
    demand(verdict.isSigned, 'the log has not signed the checkpoint');
    sizes.push(BigInt(verdict.size));
    recorded.push(decodeEvent(bytesOf(encoding)));
  }
  const treeSize = sizes.reduce((largest, size) => (size > largest ? size : largest), 0n);
  return { requestId, treeSize, ...chargeIn(requestId, recorded) };
};

type Charge = Omit<VerifiedCharge, 'requestId' | 'treeSize'>;

const ENDS = ['HoldCaptured', 'HoldReleased', 'HoldExpired'];

const chargeIn = (requestId: string, events: readonly RecordedEvent[]): Charge => {
  const own = events.filter(({ data }) => data['holdId'] === requestId);
  const held = own.filter(({ type }) => type === 'HoldPlaced' || type === 'HoldRenewed');
  const [end, ...more] = own.filter(({ type }) => ENDS.includes(type));
  demand(held.length > 0, `no event holds money for the request ${requestId}`);
  demand(more.length === 0, 'the hold of the request has ended twice');
  const heldMicroUsd = held.reduce((sum, { data }) => sum + wholeOf(data, 'amountMicroUsd'), 0n);
  if (end === undefined) return NOTHING_CHARGED;
  const availableMicroUsd = wholeOf(end.data, 'availableMicroUsd');
  const amount = wholeOf(end.data, 'amountMicroUsd');
  if (end.type !== 'HoldCaptured') {
    demand(amount === heldMicroUsd, `${amount} were freed, and ${heldMicroUsd} were held`);
    return { ...NOTHING_CHARGED, status: 'free', availableMicroUsd };
  }
  const lines = listOf(end.data, 'lines').map((line) => lineOf(fieldsOf(line, 'a line')));
  const price = priceOf(lines);
  demand(amount === price, `the charge is ${amount} micro-dollars, and its lines come to ${price}`);
  const freed = wholeOf(end.data, 'releasedMicroUsd');
  demand(amount + freed === heldMicroUsd, `${heldMicroUsd} were held, not ${amount + freed}`);
  return {
    status: 'charged',
    amountMicroUsd: amount,
    lines,
    rateCardVersion: wholeOf(end.data, 'rateCardVersion'),
    availableMicroUsd,
  };
};

const NOTHING_CHARGED: Charge = {
  status: 'open',
  amountMicroUsd: 0n,
  lines: [],
  rateCardVersion: null,
  availableMicroUsd: null,
};

const lineOf = (fields: Fields): ChargedLine => {
  const quantity = wholeOf(fields, 'quantity');
  const unitPriceMicroUsd = wholeOf(fields, 'unitPriceMicroUsd');
  const perUnits = wholeOf(fields, 'perUnits');
  demand(quantity >= 0n && unitPriceMicroUsd >= 0n && perUnits > 0n, 'a line is below zero');
  return { meter: textOf(fields, 'meter'), quantity, unitPriceMicroUsd, perUnits };
};
