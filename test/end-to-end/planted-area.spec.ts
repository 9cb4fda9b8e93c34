import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { runCommandLine } from '#apps/cli/command-line.js';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { SettingsError } from '#platform/runtime/areas/settings.js';
import { readSettings } from '#apps/composition/settings.js';
import { type Standalone, startStandalone } from '#apps/processes/standalone.process.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { BUS } from '#platform/runtime/tokens.js';
import { areas } from '../planted/areas.js';
import { PostOffice } from '../planted/postcards/post-office.js';
import { plantedAreaSuite } from './planted-area.suite.js';
import { OPERATIONS_TOKEN } from '#apps/operations/operations.fixture.js';

const APPS = path.resolve(import.meta.dirname, '../../apps');
const CATALOG = path.resolve(import.meta.dirname, '../../catalog.yaml');
const PLANTED = path.resolve(import.meta.dirname, '../planted');

describe('an area that is registered by one line, on the embedded engines', () => {
  let home: string;
  let standalone: Standalone;
  let credentials: Bootstrap;

  const environment = (): NodeJS.ProcessEnv => ({
    QUIPU_HOME: home,
    QUIPU_CATALOG: CATALOG,
    QUIPU_LOG_LEVEL: 'silent',
    QUIPU_OPERATIONS_TOKEN: OPERATIONS_TOKEN,
    PORT: '0',
  });

  const start = async (): Promise<void> => {
    standalone = await startStandalone(
      readSettings(environment(), areas),
      pino({ level: 'silent' }),
      {
        areas,
        httpFolders: [path.join(APPS, 'gateway'), path.join(PLANTED, 'gateway')],
      },
    );
  };

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-planted-'));
    await start();
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    credentials = JSON.parse(text) as Bootstrap;
  });

  afterAll(async () => {
    await standalone.stop();
    await rm(home, { recursive: true });
  });

  plantedAreaSuite(() => ({
    url: standalone.url,
    apiKey: credentials.api_key,
    accountId: '1',
    bus: standalone.app.get<Bus>(BUS, { strict: false }),
  }));

  it('reads its settings with all others, and names the ones that are wrong', () => {
    const wrong = { ...environment(), POSTCARDS_WORDS_MAX: 'many' };
    expect(() => readSettings(wrong, areas)).toThrow(SettingsError);
    expect(() => readSettings(wrong, areas)).toThrow('POSTCARDS_WORDS_MAX');
  });

  it('has its commands on the command line, beside the running server', async () => {
    const written = await fetch(`${standalone.url}/api/v1/postcards`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${credentials.api_key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ greeting: 'Hello' }),
    });
    const { id } = (await written.json()) as { readonly id: string };
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const words = ['postcards', 'read', '--account', '1', '--id', id, '--json'];
    const exitCode = await runCommandLine(words, {
      environment: environment(),
      stdin: Object.assign(new PassThrough(), { isTTY: false }),
      stdout,
      stderr,
      signal: new AbortController().signal,
      parts: { areas, folders: [path.join(APPS, 'cli'), path.join(PLANTED, 'cli')] },
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(String(stdout.read()))).toMatchObject({ success: true, id });
  });

  it('starts and stops its work with the process', async () => {
    const office = standalone.app.get(PostOffice, { strict: false });
    expect(office).toMatchObject({ opened: 1, closed: 0 });
    await standalone.stop();
    expect(office).toMatchObject({ opened: 1, closed: 1 });
    expect(() => office.take()).toThrow('the post office is closed');
    await start();
  });
});
