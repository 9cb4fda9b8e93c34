import { type UsedUnits } from '#events/hold.vocabulary.js';
import { type LineAnswer } from '#platform/batches/batch-endpoint.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { errorType, type FailureDescription } from '#platform/runtime/areas/failure.js';
import { sumOf } from './batch-checkpoint.js';
import { type BatchLine } from './batch-line.js';

/** A line that has run. */
export interface LineResult {
  readonly number: number;
  readonly isCompleted: boolean;
  /** Its line of the output or error file, without the end of the line. */
  readonly text: string;
  /** What it is charged for; nothing for a line that failed. */
  readonly used: readonly UsedUnits[];
}

const resultId = (requestId: string): string => `batch_req_${requestId.replaceAll('-', '')}`;

export const finishedResult = (
  { number, customId }: BatchLine,
  requestId: string,
  { body, used }: LineAnswer,
): LineResult => {
  const response = { status_code: 200, request_id: requestId, body };
  const id = resultId(requestId);
  const units = sumOf(used, ({ meter }) => meter);
  const charged = Object.fromEntries(units.map(({ meter, quantity }) => [meter, quantity]));
  const text = JSON.stringify({ id, custom_id: customId, response, error: null, charged });
  return { number, isCompleted: true, text, used };
};

/** The answer that the caller would have got without a batch. */
export const failedResult = (
  { number, customId }: BatchLine,
  requestId: string,
  { status, code, message, param, type }: FailureDescription,
): LineResult => {
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

/** The line of the error file for a line that did not run. */
export const unfinishedText = (
  batchId: string,
  { number, customId }: BatchLine,
  error: { readonly code: string; readonly message: string },
): string =>
  JSON.stringify({
    id: resultId(derivedId(`line ${number}`, batchId)),
    custom_id: customId,
    response: null,
    error,
  });
