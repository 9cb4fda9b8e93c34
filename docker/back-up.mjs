/**
 * Copies what an embedded installation cannot rebuild, while it runs: what was published of the
 * log, then the log, so that nothing is published that the copy lacks; then the keys of its
 * subjects, so that no event is copied whose key is not. The master key is kept elsewhere.
 *
 *     node docker/back-up.mjs <QUIPU_HOME> <a folder that is not there yet>
 */
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const FILES = ['audit.db', 'events.db', 'subject-keys.db'];

const [, , home, target] = process.argv;
if (!home || !target) {
  console.error('usage: node docker/back-up.mjs <QUIPU_HOME> <target folder>');
  process.exit(2);
}
mkdirSync(target, { mode: 0o700 });
for (const file of FILES.filter((one) => existsSync(path.join(home, one)))) {
  const database = new DatabaseSync(path.join(home, file), { readOnly: true });
  // One transaction: the copy is the file at one moment, without a journal.
  database.prepare('VACUUM INTO ?').run(path.join(target, file));
  database.close();
  console.log(path.join(target, file));
}
