import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Script } from '#areas/inference/rigs/upstream.fake.js';
import { startWorld, type World, type WorldOptions } from '../end-to-end/quipu.harness.js';
import { requireProgram } from '../servers/required-program.js';

const ARGUMENTS = ['--disable-quic', '--disable-background-networking', '--no-sandbox'];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const SCOPES = ['inference', 'read_billing', 'manage_keys', 'manage_money', 'operate'];
const NARROW = { width: 320, height: 640 };
const ANSWER_MS = 15_000;
const WIDE = { width: 1_280, height: 800 };

/** The console of a running gateway in Chromium, signed in as the first user with every scope. */
export interface ConsoleBrowser {
  readonly world: World;
  readonly page: Page;
  /** Calls a route with the key of the first user. */
  call(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Opens a page of the console and waits for its answer. */
  open(path: string): Promise<void>;
  shows(selector: string, hasText: string | RegExp): Promise<void>;
  /** Expects no error, no policy violation, no fault of axe in both themes, and no overflow. */
  expectSound(): Promise<void>;
  close(): Promise<void>;
}

export const startConsole = async (
  scripts: readonly Script[],
  options: WorldOptions = {},
): Promise<ConsoleBrowser> => {
  const axe = await readFile(AXE, 'utf8');
  const world = await startWorld(scripts, options);
  const { url } = world.quipu;
  const executablePath = await requireProgram('chromium');
  const browser: Browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const page = await browser.newPage({ viewport: WIDE });
  page.setDefaultTimeout(ANSWER_MS);
  /** Errors and policy violations of the console, and requests that leave the gateway. */
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) faults.push(request.url());
  });

  /** The rules that the shown page breaks. */
  const violations = async (): Promise<readonly string[]> => {
    await page.evaluate(axe);
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const broken = await page.evaluate<string[]>(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) =>
          id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
      );
      found.push(...broken.map((one) => `${colorScheme}: ${one}`));
    }
    return found;
  };

  const open = async (path: string): Promise<void> => {
    await page.goto(`${url}/console${path}`);
    await page.waitForSelector('main h1');
    const waiting = page.locator('main [role=status]', { hasText: 'Loading' });
    while ((await waiting.count()) > 0) await waiting.first().waitFor({ state: 'detached' });
  };

  const signIn = async (): Promise<void> => {
    const { username, password } = world.credentials;
    await page.goto(`${url}/console`);
    const status = await page.evaluate<number>(`fetch('/api/v1/auth/console_session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ${JSON.stringify(JSON.stringify({ username, password, scopes: SCOPES }))},
    }).then((reply) => reply.status)`);
    expect(status).toBe(200);
  };
  await signIn();

  return {
    world,
    page,
    open,
    call: async (method, path, body) => {
      const reply = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${world.credentials.api_key}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await reply.json()) as Readonly<Record<string, unknown>>;
      expect([path, reply.ok, answer]).toEqual([path, true, answer]);
      return answer;
    },
    shows: async (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    expectSound: async () => {
      const address = page.url();
      const broken = await violations();
      await page.setViewportSize(NARROW);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      await page.setViewportSize(WIDE);
      expect({ address, faults: faults.splice(0), broken, width }).toEqual({
        address,
        faults: [],
        broken: [],
        width: NARROW.width,
      });
    },
    close: async () => {
      await browser.close();
      await world.close();
    },
  };
};
