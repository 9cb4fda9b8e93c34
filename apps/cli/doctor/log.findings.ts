import { access } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { systemClock } from '#platform/kernel/clock.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { readInstallationKey } from '#platform/secrets/installation-key.js';
import { SUBJECT_KEYS_FILE } from '#platform/secrets/secrets.js';
import { keySetIdOf, openEventStore } from '../../composition/engines.js';
import { type Settings, withoutSecrets } from '../../composition/settings.js';
import { examined, failed, type Finding, ok, warning } from './finding.js';

/** The log, and the secrets that it names. */
export const logFindings = async (settings: Settings): Promise<readonly Finding[]> => {
  const { eventStore: target } = settings;
  const where = target.kind === 'sqlite' ? target.file : withoutSecrets(target.url);
  const remedy =
    target.kind === 'sqlite'
      ? 'start the server, which creates it, or set QUIPU_HOME'
      : 'start the server of the log';
  return examined('log', `${where}: ${remedy}`, async () => {
    if (target.kind === 'sqlite') await access(target.file);
    const log = await openEventStore(settings, systemClock, pino({ level: 'silent' }));
    try {
      const state = await stateOf(log, where);
      if (state.some((finding) => finding.state === 'failed')) return state;
      return [...state, ...userFindings(settings), ...(await secretsOf(settings, log))];
    } finally {
      await log.close();
    }
  });
};

const stateOf = async (log: EventStore, where: string): Promise<readonly Finding[]> => {
  const { writable, reason, isDenied = false } = await log.health();
  if (isDenied) {
    const remedy = 'correct its user and password, or let it read $all: quipu log user';
    return [failed('log', `${where}: access is denied: ${reason ?? ''}`, remedy)];
  }
  if (!writable) {
    return [
      failed(
        'log',
        `${where}: ${reason ?? 'not writable'}`,
        'start its server, or see its own log',
      ),
    ];
  }
  return [ok('log', `${where}, up to position ${await log.head()}`)];
};

/** A password of an administrator is no password for each process. */
const userFindings = ({ eventStore }: Settings): readonly Finding[] => {
  if (eventStore.kind === 'sqlite') return [];
  const [, name] = /\/\/([^:@/]+):[^@/]*@/.exec(eventStore.url) ?? [];
  if (name === undefined) return [];
  if (name !== 'admin') return [ok('log user', name)];
  return [warning('log user', 'an administrator', 'create a plain user: quipu log user')];
};

const secretsOf = async (settings: Settings, log: EventStore): Promise<readonly Finding[]> => {
  const record = new LoggedInstallationKey(log, systemClock);
  const known = await record.last();
  if (!known) return [warning('secrets', 'the log has no key yet', 'start the server')];
  try {
    await readInstallationKey(settings.masterKeyFile, record, true);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [failed('secrets', reason, `put the master key ${known.keyId} there`)];
  }
  const [recorded, here] = [await record.keySet(), await keySetOf(settings)];
  if (recorded === null || recorded === here) {
    return [ok('secrets', `master key ${known.keyId}, subject keys ${here ?? 'none'}`)];
  }
  const found = `and here is ${here ?? 'none'}`;
  const detail = `the log was written with the subject keys ${recorded}, ${found}`;
  return [failed('secrets', detail, 'use the home of that installation, or restore its keys')];
};

/** Null where there is none yet: a look at a file must not create it. */
const keySetOf = async (settings: Settings): Promise<string | null> => {
  if (settings.readStore.kind === 'sqlite') {
    const file = path.join(settings.home, SUBJECT_KEYS_FILE);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (!isThere) return null;
  }
  return keySetIdOf(settings);
};
