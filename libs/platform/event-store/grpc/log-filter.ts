import { status } from '@grpc/grpc-js';
import { type EventFilter, type RecordedEvent } from '../event-store.port.js';
import { type FilterExpression } from './read.messages.js';
import { CallError } from './call-errors.js';

/**
 * A client's filter: the part that the store applies, and the part that is checked for each event.
 */
export interface LogFilter {
  /** Undefined lets everything through. */
  readonly stored: EventFilter | undefined;
  readonly passes: (event: RecordedEvent) => boolean;
  /** Nothing is left to be asked. */
  readonly decidedByStore: boolean;
}

const EVERYTHING: LogFilter = {
  stored: undefined,
  passes: () => true,
  decidedByStore: true,
};

/** @throws CallError for an expression that is no filter */
export const compileFilter = (expression: FilterExpression | null): LogFilter => {
  if (expression === null) return EVERYTHING;
  const { by, regex, prefixes } = expression;
  if (regex !== '') {
    const pattern = compileRegex(regex);
    return {
      stored: undefined,
      passes: (event) => pattern.test(event[by]),
      decidedByStore: false,
    };
  }
  if (prefixes.length === 0) {
    throw new CallError(status.INVALID_ARGUMENT, 'a filter needs a regex or a prefix');
  }
  return { ...EVERYTHING, stored: { by, prefixes } };
};

const compileRegex = (regex: string): RegExp => {
  try {
    return new RegExp(regex, 'u');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallError(status.INVALID_ARGUMENT, `not a filter: ${reason}`);
  }
};
