import { type EventStore } from '#platform/event-store/event-store.port.js';

/** A server that a process needs to start does not answer yet. */
export class ServerAwayError extends Error {
  override readonly name = 'ServerAwayError';

  constructor(
    /** The code of readiness. */
    readonly code: 'event_log_unavailable' | 'read_store_unavailable',
    detail: string,
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }
}

/**
 * Repeats an attempt that rejects with a `ServerAwayError`, or rejects with it. Any other error
 * ends the start.
 */
export type FirstAnswer = <Result>(attempt: () => Promise<Result>) => Promise<Result>;

/** A command of the operator ends where a server does not answer. */
export const onceOnly: FirstAnswer = (attempt) => attempt();

/** @throws ServerAwayError; Error where the server denies access */
export const openedLog = async (log: EventStore): Promise<EventStore> => {
  const { writable, reason, isDenied = false } = await log.health();
  if (writable) return log;
  if (isDenied) throw new Error(`access is denied: ${reason ?? ''}`);
  throw new ServerAwayError('event_log_unavailable', `the log does not answer: ${reason ?? ''}`);
};
