/** The page of stream sessions in Chromium, which is another implementation of WebRTC. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CommandLine } from '../end-to-end/command-line.fixture.js';
import { withLive } from '../end-to-end/live-client.fixture.js';
import { scriptedCatalog, startWorld, type World } from '../end-to-end/quipu.harness.js';
import { requireProgram } from '../servers/required-program.js';
import { LossyRelay } from './lossy-relay.js';

const FIRST_PORT = 43_100;
const LAST_PORT = 43_131;
const RELAY = '127.0.0.2';
/** No service of Google is asked. */
const QUIET = ['--disable-quic', '--disable-background-networking', '--no-sandbox'];

/** How many values of red a row of the shown frame has; runs in the page. */
const COLOURS = `new Set(
  document.querySelector('canvas').getContext('2d').getImageData(0, 128, 256, 1).data
    .filter((_, at) => at % 4 === 0),
).size`;

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
};

describe('the page of stream sessions', () => {
  const relay = new LossyRelay(RELAY, '127.0.0.1');
  let world: World;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  const quipu = new CommandLine(() => world);

  beforeAll(async () => {
    const executablePath = await requireProgram('chromium');
    await relay.open(FIRST_PORT, LAST_PORT);
    const port = String(await freePort());
    world = await startWorld([], {
      environment: {
        PORT: port,
        QUIPU_LIVE_UDP_PORTS: `${FIRST_PORT}-${LAST_PORT}`,
        QUIPU_LIVE_ANNOUNCED: RELAY,
      },
      catalogOf: (baseUrl) => withLive(scriptedCatalog(baseUrl)),
    });
    await quipu.result('account', 'credit', '--user', 'demo', '--usd', '10', '--reason', 'spec');
    browser = await chromium.launch({ executablePath, args: QUIET });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${world.quipu.url}/console`);
    await page.fill('input[name=username]', world.credentials.username);
    await page.fill('input[name=password]', world.credentials.password);
    await page.click('button[type=submit]');
    await page.waitForSelector('#position');
  });

  afterAll(async () => {
    await browser.close();
    await world.close();
    relay.close();
  });

  const start = async (): Promise<void> => {
    await page.goto(`${world.quipu.url}/console/streams`);
    await page.selectOption('select[name=resolution]', '256x256');
    await page.click('text=Start');
    await page.waitForSelector('#stop');
  };
  const text = (id: string): Promise<string> => page.innerText(`#${id}`);
  const shows = async (id: string, isShown: (text: string) => boolean): Promise<void> => {
    for (const deadline = performance.now() + 60_000; !isShown(await text(id));) {
      const now = `${id}: ${await text(id)}, ${await text('state')}, ${faults.join('; ')}`;
      if (performance.now() > deadline) throw new Error(now);
      await page.waitForTimeout(50);
    }
  };
  const frames = (least: number) => shows('frames', (shown) => Number(shown) >= least);
  const stop = async (): Promise<void> => {
    await page.click('#stop');
    await shows('state', (state) => state === 'ended (hang_up)');
  };

  it('shows the frames of a session, which ends when the caller stops it', async () => {
    await start();
    await frames(3);
    const colours = await page.evaluate<number>(COLOURS);
    expect(colours).toBeGreaterThan(1);
    await stop();
    expect(faults).toEqual([]);
  });

  it('shows frames on a network that drops 5 % of the datagrams', async () => {
    relay.dropEvery = 20;
    try {
      await start();
      await frames(8);
      expect(relay.dropped).toBeGreaterThan(10);
      await stop();
    } finally {
      relay.dropEvery = 0;
    }
  });

  it('connects again with the same token after a restart of the gateway', async () => {
    await start();
    await frames(2);
    world = await world.restart();
    await shows('connections', (connections) => connections === '2');
    await frames(Number(await text('frames')) + 2);
    await stop();
    const types = (await world.events()).map(({ type }) => type);
    const session = types.slice(types.lastIndexOf('LiveSessionOpened'));
    expect(session.filter((type) => type === 'LiveClientConnected')).toHaveLength(2);
  });
});
