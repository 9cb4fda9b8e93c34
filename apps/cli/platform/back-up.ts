import { existsSync } from 'node:fs';
import path from 'node:path';
import { type BackupReport, backUp } from '#platform/backup/back-up.js';
import { FILE_OF } from '#platform/backup/backup.format.js';
import { systemClock } from '#platform/kernel/clock.js';
import {
  embeddedStoresOf,
  type ServedStore,
  servedStoresOf,
} from '../../composition/embedded-stores.js';
import { openObjects } from '../../composition/engines.js';
import { type Settings } from '../../composition/settings.js';
import { stopIfInterrupted } from '../command-failure.js';
import { expectLog, settingsOf } from '../installation.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

export interface BackUpOptions extends CommonOptions {
  readonly folder: string;
  /** False: the blobs are left to the tools of their storage. */
  readonly blobs: boolean;
}

/** Servers may be running: everything is read only, each file in one transaction. */
export const backUpInstallation = async (
  { folder, blobs }: BackUpOptions,
  { environment, parts, signal }: Invocation,
): Promise<Outcome> => {
  const settings = settingsOf(environment, parts?.areas);
  await expectLog(settings);
  const objects = blobs ? await openObjects(settings) : null;
  const to = path.resolve(folder);
  const files = embeddedStoresOf(settings);
  const onStep = (): void => stopIfInterrupted(signal);
  try {
    const report = await backUp({ files, blobs: objects }, to, { clock: systemClock, onStep });
    return outcomeOf(report, to, settings);
  } finally {
    await objects?.close();
  }
};

const outcomeOf = (report: BackupReport, folder: string, settings: Settings): Outcome => {
  const { manifest, checked } = report;
  const served = servedStoresOf(settings);
  const { masterKeyId, log, blobs } = manifest;
  return {
    json: {
      folder,
      created_at: manifest.createdAt,
      files: manifest.files.map((store) => FILE_OF[store]),
      log,
      leaves_compared: checked?.leaves ?? null,
      checkpoint_compared: checked?.checkpoint ?? null,
      blobs,
      master_key_id: masterKeyId,
      not_included: [
        ...served.map(({ store, url }) => `${store}: ${url}`),
        ...(blobs === null ? ['blobs'] : []),
        settings.masterKeyFile,
        ...filesOfOperator(settings),
      ],
    },
    text: [
      `Backed up to ${folder}.`,
      ...textOf(report),
      ...served.map(inWords),
      ...(blobs === null ? ['  not in it   the blobs (--no-blobs)'] : []),
      `  not in it   the master key${masterKeyId === null ? '' : ` ${masterKeyId}`}, ` +
        `${settings.masterKeyFile}: keep it apart, for nothing opens without it`,
      ...filesOfOperator(settings).map((one) => `  not in it   ${one}`),
    ].join('\n'),
  };
};

const textOf = ({ manifest, checked }: BackupReport): readonly string[] => {
  const { log, blobs } = manifest;
  const files = manifest.files.map((store) => FILE_OF[store]);
  return [
    `  files       ${files.length === 0 ? 'none' : files.join(', ')}`,
    ...(blobs === null ? [] : [`  blobs       ${blobs.count}, ${blobs.bytes} bytes`]),
    ...(log === null ? [] : [`  log         ${log.events} events, root ${log.root ?? 'none'}`]),
    ...(checked === null
      ? []
      : [
          `  checked     the hash of every event, ${checked.leaves ?? 'no'} leaves of the tree, ` +
            (checked.checkpoint === null
              ? 'no checkpoint yet'
              : `the published checkpoint of ${checked.checkpoint}`),
        ]),
  ];
};

const inWords = ({ store, url }: ServedStore): string =>
  `  not in it   ${store}, on ${url}: use the tools of that server (docker/README.md)`;

/** Files that an operator has put there; the log does not name them. */
const filesOfOperator = ({ home }: Settings): readonly string[] =>
  [path.join(home, 'models')].filter((one) => existsSync(one));
