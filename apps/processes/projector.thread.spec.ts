import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ProjectorLink } from '#platform/runtime/projector/projector-link.js';
import { ProjectorThread } from './projector.thread.js';

const REQUEST = { projection: 'p', collection: 'p.v1.g1', position: 7n, timeoutMs: 1_000 };
const FIXTURE = new URL('./projector.thread.fixture.js', import.meta.url);

describe('the thread of a projector', () => {
  let thread: ProjectorThread | undefined;
  const published: string[] = [];
  const lines: string[] = [];

  const open = (environment: NodeJS.ProcessEnv = {}) => {
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const link = new ProjectorLink('thread');
    const restarts = { firstMs: 1, maxMs: 1 };
    const options = { environment, link, logger, drainMs: 1_000, source: FIXTURE, restarts };
    const opened = new ProjectorThread(options);
    thread = opened;
    const bus = { publish: (topic: string) => Promise.resolve(void published.push(topic)) };
    const eventStore = { head: () => Promise.resolve(0n) };
    return { link, start: () => opened.start({ bus, eventStore }) };
  };

  const isThere = async (link: ProjectorLink): Promise<boolean> =>
    (await link.reach(REQUEST)).position === 7n;

  afterEach(async () => {
    await thread?.stop();
    published.length = 0;
    lines.length = 0;
  });

  it('answers after its start, publishes and logs through its process', async () => {
    const { link, start } = open();
    expect(await isThere(link)).toBe(false);
    await start();
    expect(await isThere(link)).toBe(true);
    expect(published).toEqual(['topic']);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ level: 30, msg: 'begun', lines: 1 }),
    ]);
  });

  it('is started again when it ends', async () => {
    const { link, start } = open();
    await start();
    await expect(link.reload()).rejects.toThrow('the projector thread ended: exit code 3');
    while (!(await isThere(link))) await sleep(5);
    expect(link.losses).toBe(1);
    expect(lines.join('')).toContain('projections and sagas have stopped; they are restarted');
  });

  it('fails its first start with the reason', async () => {
    const { start } = open({ FIXTURE_REFUSES: '1' });
    await expect(start()).rejects.toThrow('views.db is no read store');
  });

  it('is not started again after a stop', async () => {
    const { link, start } = open();
    await start();
    await thread?.stop();
    expect(await isThere(link)).toBe(false);
    expect(lines.join('')).not.toContain('restarted');
  });
});
