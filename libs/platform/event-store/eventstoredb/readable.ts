import { type EventEmitter } from 'node:events';
import {
  type ClientListener,
  type ClientPage,
  type ClientRecord,
  type ClientResolvedEvent,
  PAGE_UNITS_MAX,
  unitsOf,
} from './log-client.js';

/** A readable of either package: their types follow Node's of another version. */
type Emitter = Pick<EventEmitter, 'on' | 'off'>;

/** Reads a page to its end, to its size or until it is aborted, then ends the call. */
export const collect = (
  readable: Emitter,
  cancel: () => Promise<void>,
  signal: AbortSignal,
): Promise<ClientPage> =>
  new Promise((resolve, reject) => {
    const records: ClientRecord[] = [];
    let units = 0;
    const settle = (act: () => void) => {
      readable.off('data', take);
      signal.removeEventListener('abort', stop);
      act();
    };
    const leave = (act: () => void) => {
      settle(act);
      void cancel().catch(ignore);
    };
    const take = ({ event }: ClientResolvedEvent) => {
      if (event === undefined) return;
      records.push(event);
      units += unitsOf(event.data);
      if (units >= PAGE_UNITS_MAX) leave(() => resolve({ records, cut: true }));
    };
    const stop = () => leave(() => reject(new Error('the reading was aborted')));
    signal.addEventListener('abort', stop);
    readable.on('error', (error: Error) => settle(() => reject(error)));
    readable.on('end', () => settle(() => resolve({ records, cut: false })));
    readable.on('data', take);
    if (signal.aborted) stop();
  });

/** Passes on what comes, until it ends or is ended. */
export const follow = (
  readable: Emitter,
  cancel: () => Promise<void>,
  { onEvent, onEnd }: ClientListener,
): (() => void) => {
  let over = false;
  const end = (error: Error | null) => {
    if (over) return;
    over = true;
    onEnd(error);
  };
  // Stays to the last: a call may fail again while it is being ended, and nobody else listens.
  readable.on('error', end);
  readable.on('end', () => end(null));
  readable.on('data', ({ event }: ClientResolvedEvent) => {
    if (!over && event !== undefined) onEvent(event);
  });
  return () => {
    over = true;
    void cancel().catch(ignore);
  };
};

/** Ending a call that never began is no news. */
const ignore = (): void => undefined;
