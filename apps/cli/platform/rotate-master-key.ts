import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { systemClock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { replaceMasterKey, rotateMasterKey } from '#platform/secrets/master-key-rotation.js';
import { withLog } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

export interface RotateMasterKeyOptions extends CommonOptions {
  readonly to?: string;
}

/** Servers may be running: they keep the key that the master key opens, and which stays. */
export const rotateKeyOfLog = (
  { to }: RotateMasterKeyOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withLog(invocation, async ({ masterKeyFile: file }, eventStore) => {
    const record = new LoggedInstallationKey(eventStore, systemClock);
    const next = to === undefined ? `${file}.next` : path.resolve(to);
    const rotation = await rotateMasterKey(file, next, {
      last: () => record.last(),
      rotate: (previous, key) => record.rotate(previous, key, contextOf(randomUUID(), 'cli')),
    });
    const kept = to === undefined ? replaceMasterKey(file, next, rotation) : file;
    const { keyId, previousKeyId } = rotation;
    const current = to === undefined ? file : next;
    return {
      json: {
        key_id: keyId,
        file: current,
        previous_key_id: previousKeyId,
        previous_file: kept,
      },
      text: [
        `The log is under the master key ${keyId} now, which is in ${current}.`,
        `  Put it on every machine, then start workers and gateways again; until then they go on.`,
        `  Backups made before need the master key ${previousKeyId}, which is in ${kept}.`,
      ].join('\n'),
    };
  });
