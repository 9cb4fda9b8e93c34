import { type z } from 'zod';
import { messageOf, UNSUPPORTED_FIELD } from '#platform/kernel/faults.js';
import '../areas/expected-input.js';
import { type FailureDescription } from '../areas/failure.js';

/** A body that is rejected by a field of it, over HTTP or as a line of a batch. */
export class RejectedRequestError extends Error {
  override readonly name = 'RejectedRequestError';

  constructor(readonly failure: FailureDescription) {
    super(failure.message);
  }
}

/** 400 for one field of a body. */
export const rejectedField = (param: string, why: string): RejectedRequestError =>
  refused(`${param}: ${why}`, param);

/**
 * 400 for the fields that a schema rejects: the message names ten at most.
 * @param at the field that the schema is of; empty for the body
 */
export const rejectedFields = ({ issues }: z.ZodError, at = ''): RejectedRequestError => {
  const inside = at === '' ? [] : [at];
  const faults = issues.flatMap((issue) =>
    faultsOf({ ...issue, path: [...inside, ...issue.path] }),
  );
  const message = messageOf(faults.map(({ param, why }) => `${param}: ${why}`));
  return refused(message, faults[0]?.param);
};

const refused = (message: string, param = ''): RejectedRequestError =>
  new RejectedRequestError({
    status: 400,
    code: 'invalid_request',
    message,
    ...(param !== '' && { param }),
  });

/** Such as `messages[0].role`; empty for the body itself. */
export const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`,
    '',
  );

interface Fault {
  readonly param: string;
  readonly why: string;
}

/** One fault for each field that a schema does not know, else one for the field. */
export const faultsOf = (issue: z.core.$ZodIssue): readonly Fault[] => {
  const param = pathOf(issue.path);
  if (issue.code !== 'unrecognized_keys') {
    return [{ param: param === '' ? 'the body' : param, why: issue.message }];
  }
  return issue.keys.map((key) => ({
    param: pathOf([...issue.path, key]),
    why: UNSUPPORTED_FIELD,
  }));
};
