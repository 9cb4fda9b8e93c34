import { type z } from 'zod';
import { pathOf } from '#areas/inference/chat-body.js';
import { messageOf } from '#platform/kernel/faults.js';
import { HttpFailure } from '../errors/http-failure.js';

/** 400 for one field of a body. */
export const refusedField = (param: string, why: string): HttpFailure =>
  new HttpFailure({ status: 400, code: 'invalid_request', message: `${param}: ${why}`, param });

/** 400 for the fields that a schema rejects: the message names ten at most. */
export const refusedFields = ({ issues }: z.ZodError): HttpFailure => {
  const faults = issues.flatMap(faultsOf);
  const [first] = faults;
  const message = messageOf(faults.map(({ param, why }) => `${param}: ${why}`));
  const param = first?.param;
  return new HttpFailure({
    status: 400,
    code: 'invalid_request',
    message,
    ...(param !== undefined && param !== '' && { param }),
  });
};

interface Fault {
  readonly param: string;
  readonly why: string;
}

const faultsOf = (issue: z.core.$ZodIssue): readonly Fault[] => {
  const param = pathOf(issue.path);
  if (issue.code !== 'unrecognized_keys') {
    return [{ param: param === '' ? 'the body' : param, why: issue.message }];
  }
  return issue.keys.map((key) => ({
    param: pathOf([...issue.path, key]),
    why: 'this field is not supported',
  }));
};
