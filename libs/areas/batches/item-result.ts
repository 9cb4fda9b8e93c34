import { type UsedUnits } from '#events/hold.vocabulary.js';
import { type DoubtedUsage, doubtsOf } from '#events/token-usage.vocabulary.js';
import { type AbortedItemError } from '#platform/batches/aborted-item.js';
import { type ItemAnswer, type Quantities } from '#platform/batches/batch-endpoint.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { errorType, type FailureDescription } from '#platform/runtime/areas/failure.js';
import { sumOf } from './batch-checkpoint.js';
import { type BatchItem } from './batch-item.js';

/** A line that has run. */
export interface ItemResult extends DoubtedUsage {
  readonly number: number;
  readonly isCompleted: boolean;
  /** Its line of the output or error file, without the end of the line. */
  readonly text: string;
  /** Its charged usage; nothing for a line that failed by itself. */
  readonly used: readonly UsedUnits[];
}

const resultId = (requestId: string): string => `batch_req_${requestId.replaceAll('-', '')}`;

export const finishedResult = (
  { number, customId }: BatchItem,
  requestId: string,
  answer: ItemAnswer,
): ItemResult => {
  const { body, used, usageDoubts: doubts = [] } = answer;
  const response = { status_code: 200, request_id: requestId, body };
  const id = resultId(requestId);
  const charged = chargedOf(used);
  const text = JSON.stringify({
    id,
    custom_id: customId,
    response,
    error: null,
    charged,
    usage_doubts: doubts,
  });
  return { number, isCompleted: true, text, used, ...doubtsOf([answer]) };
};

/** Units by meter, as the files of a batch show them. */
const chargedOf = (used: readonly UsedUnits[]): Quantities =>
  Object.fromEntries(
    sumOf(used, ({ meter }) => meter).map(({ meter, quantity }) => [meter, quantity]),
  );

/** The answer that the caller would have got without a batch. */
export const failedResult = (
  { number, customId }: BatchItem,
  requestId: string,
  { status, code, message, param, type }: FailureDescription,
): ItemResult => {
  const error = { message, type: type ?? errorType(status), param: param ?? null, code };
  const response = { status_code: status, request_id: requestId, body: { error } };
  const text = JSON.stringify({
    id: resultId(requestId),
    custom_id: customId,
    response,
    error: null,
  });
  return { number, isCompleted: false, text, used: [] };
};

/** The batch ended while a rig worked on the line: charged as a chat whose caller leaves. */
export const abortedResult = (
  { number, customId }: BatchItem,
  requestId: string,
  { used }: AbortedItemError,
): ItemResult => {
  const error = {
    code: 'request_aborted',
    message: 'The batch ended while a rig worked on this request, which is charged for its prompt.',
  };
  const id = resultId(requestId);
  const charged = chargedOf(used);
  const text = JSON.stringify({ id, custom_id: customId, response: null, error, charged });
  return { number, isCompleted: false, text, used };
};

/** The line of the error file for a line that did not run. */
export const unfinishedText = (
  batchId: string,
  { number, customId }: BatchItem,
  error: { readonly code: string; readonly message: string },
): string =>
  JSON.stringify({
    id: resultId(derivedId(`line ${number}`, batchId)),
    custom_id: customId,
    response: null,
    error,
  });
