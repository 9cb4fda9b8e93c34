import { DatabaseSync } from 'node:sqlite';
import { EventPacker } from './event-packer.js';
import { EventUnpacker } from './event-unpacker.js';
import { bufferOf } from './stored-rows.js';
import { WordReader } from './word-list.js';

/** The JSON of a stored event. */
export interface StoredJson {
  readonly data: string;
  readonly metadata: string;
}

interface Row {
  readonly position: number;
  readonly name: string;
  readonly type: string;
  readonly recordedAtMs: number;
  readonly body: Uint8Array;
}

/**
 * Changes the JSON of stored events, as someone would who writes the file past the guards.
 * @param where a condition on `position` or `words.text`, the type
 */
export const rewriteEvents = (
  file: string,
  where: string,
  change: (stored: StoredJson) => Partial<StoredJson>,
): void => {
  const database = new DatabaseSync(file);
  try {
    database.exec('DROP TRIGGER IF EXISTS events_are_fixed');
    const unpacker = new EventUnpacker(new WordReader(database));
    const packer = new EventPacker({ numberOf: () => null });
    const update = database.prepare('UPDATE events SET body = ? WHERE position = ?');
    const rows = database
      .prepare(
        `SELECT position, name, words.text AS type, recorded_at AS recordedAtMs, body
           FROM events JOIN streams ON streams.id = stream_id JOIN words ON words.id = type
          WHERE ${where}`,
      )
      .all() as unknown as readonly Row[];
    for (const { position, name: stream, type, recordedAtMs, body } of rows) {
      const unpacked = unpacker.unpack(bufferOf(body), 0, body.length, stream, recordedAtMs);
      const id = unpacked.id.toString();
      const stored = { data: unpacked.data.toString(), metadata: unpacked.metadata.toString() };
      const changed = { ...stored, ...change(stored) };
      update.run(packer.pack({ stream, type, recordedAtMs, id, ...changed }), position);
    }
  } finally {
    database.close();
  }
};
