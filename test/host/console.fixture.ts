/** The console in Chromium against an embedded gateway. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type Script } from '#areas/inference/rigs/upstream.fake.js';
import {
  answering,
  startWorld,
  type World,
  type WorldOptions,
} from '../end-to-end/quipu.harness.js';
import { requireProgram } from '../servers/required-program.js';

/** A name that is no name of this machine, for an insecure connection. */
export const OTHER_HOST = 'gateway.example.org';
const ARGUMENTS = [
  '--disable-quic',
  '--disable-background-networking',
  '--no-sandbox',
  `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`,
];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A browser with one page, whose faults are noted. */
export interface ConsoleTab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and policy violations of the console, and requests that leave the gateway. */
  readonly faults: string[];
  /** Opens a page below `/console`. */
  open(path: string): Promise<unknown>;
  shows(selector: string, text: string | RegExp): Promise<void>;
  signIn(username: string, password: string): Promise<void>;
  /** The accessibility rules that the shown page breaks, in both themes. */
  violations(): Promise<readonly string[]>;
}

export interface ConsoleWorld {
  readonly world: World;
  /** The upstream answers the next request when this is done. */
  readonly waitFor: (answered: Promise<unknown>) => void;
  openTab(): Promise<ConsoleTab>;
  /** Posts to a route that must succeed. */
  readonly post: (
    path: string,
    token: string | null,
    body: object,
  ) => Promise<{ readonly answer: Readonly<Record<string, string>>; readonly id: string }>;
  close(): Promise<void>;
}

/** @param scripts of the upstream; default: one answer of two words */
export const openConsole = async (
  scripts?: readonly Script[],
  options: WorldOptions = {},
): Promise<ConsoleWorld> => {
  const axe = await readFile(AXE, 'utf8');
  let answered: Promise<unknown> = Promise.resolve();
  const answer = answering('Two ', 'knots.');
  const waiting: Script = (...exchange) => void answered.then(() => answer(...exchange));
  const world = await startWorld(scripts ?? [waiting], options);
  const executablePath = await requireProgram('chromium');
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  return {
    world,
    waitFor: (next) => {
      answered = next;
    },
    openTab: () => openTab(world, browser, axe),
    post: async (path, token, body) => {
      const reply = await fetch(`${world.quipu.url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== null && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      });
      const answer = (await reply.json()) as Readonly<Record<string, string>>;
      expect([reply.ok, answer]).toEqual([true, answer]);
      return { answer, id: reply.headers.get('x-request-id') ?? '' };
    },
    close: async () => {
      await browser.close();
      await world.close();
    },
  };
};

const openTab = async (world: World, browser: Browser, axe: string): Promise<ConsoleTab> => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== world.quipu.url) faults.push(request.url());
  });

  /** The theme changes colours alone. */
  const brokenRules = async (options: string): Promise<readonly string[]> =>
    page.evaluate<string[]>(
      `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) =>
        id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
    );
  const open = (path: string) => page.goto(`${world.quipu.url}/console${path}`);
  return {
    context,
    page,
    faults,
    open,
    shows: (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    signIn: async (username, password) => {
      await open('');
      await page.fill('input[name=username]', username);
      await page.fill('input[name=password]', password);
      await page.click('button[type=submit]');
    },
    violations: async () => {
      await page.evaluate(axe);
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await brokenRules('{}');
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await brokenRules("{ runOnly: ['color-contrast'] }");
      return [...light, ...dark.map((one) => `dark: ${one}`)];
    },
  };
};

/** The console of a running gateway in Chromium, signed in as the first user. */
export interface ConsoleBrowser {
  readonly world: World;
  readonly page: Page;
  /** Calls a route with the key of the first user. */
  call(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Opens a page of the console and waits for its answer. */
  open(path: string): Promise<void>;
  shows(selector: string, text: string | RegExp): Promise<void>;
  /** Expects no error, no policy violation, no fault of axe in both themes, and no overflow. */
  expectSound(): Promise<void>;
  close(): Promise<void>;
}

const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1_280, height: 800 };

export const startConsole = async (
  scripts: readonly Script[],
  options: WorldOptions = {},
): Promise<ConsoleBrowser> => {
  const { world, openTab: open, close } = await openConsole(scripts, options);
  const { page, faults, ...tab } = await open();
  const { url } = world.quipu;
  await page.setViewportSize(WIDE);
  await tab.signIn(world.credentials.username, world.credentials.password);
  await page.waitForSelector('#position');
  return {
    world,
    page,
    close,
    open: async (path) => {
      await tab.open(path);
      await page.waitForSelector('main h1');
      const waiting = page.locator('main [role=status]', { hasText: 'Loading' });
      while ((await waiting.count()) > 0) await waiting.first().waitFor({ state: 'detached' });
    },
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
    shows: (selector, text) => tab.shows(selector, text),
    expectSound: async () => {
      const address = page.url();
      const broken = await tab.violations();
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
  };
};
