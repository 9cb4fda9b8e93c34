import { type paths } from './api.js';
import { connect, type Quipu, type QuipuOptions } from './client.js';

export type { paths } from './api.js';
export { AnswerStream, type StreamEvent } from './answer-stream.js';
export {
  type AuditedRequest,
  type ChargedLine,
  priceOf,
  type VerifiedCharge,
  verifyCharge,
} from './charge.js';
export { type Quipu, type QuipuOptions, type StreamOptions, type StreamRoute } from './client.js';
export { checkProof, type ProofClaim, type ProofVerdict } from './inclusion-proof.js';
export { ProofError } from './proof.error.js';
export { QuipuError } from './quipu.error.js';
export { decodeEvent, type RecordedEvent } from './recorded-event.js';
export { verifyStatement, type VerifiedStatement } from './statement.js';

/** A client of one gateway, with the types of its routes. */
export const createQuipu = (options: QuipuOptions): Quipu<paths> => connect<paths>(options);
