import { access } from 'node:fs/promises';
import path from 'node:path';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openEventStoreDb } from '#platform/event-store/eventstoredb/eventstoredb-event-store.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { CommandFailure } from '../command-failure.js';
import { EXIT } from '../exit-code.js';

const SQLITE = 'sqlite:';
const SERVER = /^(?:esdb|kurrentdb)(\+discover)?:\/\/(?=[^/])/;

export interface LogAddress {
  /** `sqlite:<file>`, `esdb://…` or `kurrentdb://…`, also with `+discover`. */
  readonly url: string;
  /** Of the streams of the installation on a server. */
  readonly prefix: string;
  readonly mayBegin: boolean;
}

/**
 * Opens a log by its address. One package serves all servers, since a process loads only one.
 * @throws CommandFailure `bad_address`, `no_log`
 */
export const openLogAt = async ({ url, prefix, mayBegin }: LogAddress): Promise<EventStore> => {
  if (SERVER.test(url)) {
    return openEventStoreDb({ url: url.replace(SERVER, 'kurrentdb$1://'), prefix });
  }
  if (!url.startsWith(SQLITE) || prefix !== '') {
    const message =
      prefix === ''
        ? 'expected sqlite:<file>, esdb://… or kurrentdb://…'
        : 'a prefix is only for a log on a server';
    throw new CommandFailure('bad_address', message, EXIT.usage);
  }
  const file = path.resolve(url.slice(SQLITE.length));
  const needed = mayBegin ? path.dirname(file) : file;
  await access(needed).catch((cause: unknown) => {
    throw new CommandFailure('no_log', `there is no ${needed}`, EXIT.usage, { cause });
  });
  return openSqliteEventStore({ file });
};
