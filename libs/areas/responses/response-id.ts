import { JobId } from '#events/jobs/job.events.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';

export const RESPONSE_PREFIX = 'resp_';

/** One request always names the same response. */
export const responseIdOf = (requestId: string): string =>
  `${RESPONSE_PREFIX}${derivedId('response', requestId).replaceAll('-', '')}`;

const GROUPS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The job of a response in the background has its id. */
export const jobIdOf = (responseId: string): JobId =>
  JobId.parse(responseId.slice(RESPONSE_PREFIX.length).replace(GROUPS, '$1-$2-$3-$4-$5'));
