/** The console in Chromium against an embedded gateway. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
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
/** The folder for pictures of the guide: `npm run docs:screenshots`. */
const PICTURES = process.env['GUIDE_PICTURES'];
const PICTURE_SIZE = { width: 1_100, height: 540 };
const PICTURE_BYTES_MAX = 100 * 1_024;
/** For a machine that other suites keep busy; a page that hangs fails all the same. */
const ANSWER_MS_MAX = 60_000;
/** The page of the address is shown, and no read of it waits for its answer. */
const ANSWERED = 'main[aria-busy=false]:has(h1):not(:has(p[role=status].quiet))';
/** Places of elements are not shown, and no rule that runs reads stylesheets. */
const AXE_OPTIONS = { resultTypes: ['violations'], selectors: false, preload: false };
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The part of a page that axe inspects. Navigation and header are the same on all pages. */
export type Part = 'whole' | 'without shell';
const PARTS: Readonly<Record<Part, string>> = {
  whole: 'document',
  'without shell': "{ exclude: ['nav', 'header'] }",
};

/** A browser with one page, whose faults are noted. */
export interface ConsoleTab {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and policy violations of the console, and requests that leave the gateway. */
  readonly faults: string[];
  /** Opens a page below `/console`. */
  open(path: string): Promise<unknown>;
  /** The same, and waits for its answers. */
  openWhole(path: string): Promise<void>;
  /** The same from the page that is shown, without loading the document again. */
  turnTo(path: string): Promise<void>;
  shows(selector: string, text: string | RegExp): Promise<void>;
  signIn(username: string, password: string): Promise<void>;
  /** The accessibility rules that the shown page breaks, in both themes. */
  violations(part?: Part): Promise<readonly string[]>;
  /** The rules that depend on the width of the page, after `violations`. */
  narrowViolations(part?: Part): Promise<readonly string[]>;
  /**
   * Keeps the shown page as a picture of the guide, where the run is to make them.
   * @param seen an element that is to be in it. Default: the beginning of the page.
   */
  picture(name: string, seen?: string): Promise<void>;
}

export interface ConsoleWorld {
  readonly world: World;
  /** The upstream answers the next requests when this is done. */
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

export const openConsole = async (options: WorldOptions = {}): Promise<ConsoleWorld> => {
  const axe = await readFile(AXE, 'utf8');
  let answered: Promise<unknown> = Promise.resolve();
  const answer = answering('Two ', 'knots.');
  const world = await startWorld(
    [(...exchange) => void answered.then(() => answer(...exchange))],
    // Fleets of suites have no worker, which pages of computed figures need.
    { isHere: true, ...options },
  );
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
  page.setDefaultTimeout(ANSWER_MS_MAX);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    faults.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('response', async (response) => {
    if (response.status() < 500) return;
    faults.push(`${response.url()}: ${await response.text().catch(String)}`);
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== world.quipu.url) faults.push(request.url());
  });

  /** @param rules default: all. A change of the theme or of the width breaks few of them. */
  const brokenRules = (part: Part, rules?: readonly string[]): Promise<readonly string[]> => {
    const options = { ...AXE_OPTIONS, ...(rules && { runOnly: rules }) };
    return page.evaluate<string[]>(
      `axe.run(${PARTS[part]}, ${JSON.stringify(options)}).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
    );
  };
  const addressOf = (place: string): string => `${world.quipu.url}/console${place}`;
  const open = (place: string) => page.goto(addressOf(place));
  const answered = () => page.waitForSelector(ANSWERED);
  return {
    context,
    page,
    faults,
    open,
    openWhole: async (place) => {
      await open(place);
      await answered();
    },
    turnTo: async (place) => {
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(addressOf(place))});
        dispatchEvent(new PopStateEvent('popstate'));`);
      await answered();
    },
    shows: (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    signIn: async (username, password) => {
      await open('');
      await page.fill('input[name=username]', username);
      await page.fill('input[name=password]', password);
      await page.click('button[type=submit]');
    },
    picture: async (name, seen = 'header') => {
      if (PICTURES === undefined) return;
      const size = page.viewportSize();
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(PICTURE_SIZE);
      await page.locator(seen).first().scrollIntoViewIfNeeded();
      const png = await page.screenshot({ path: path.join(PICTURES, `${name}.png`) });
      expect(png.length).toBeLessThan(PICTURE_BYTES_MAX);
      if (size) await page.setViewportSize(size);
    },
    narrowViolations: (part = 'whole') =>
      brokenRules(part, ['scrollable-region-focusable', 'target-size']),
    violations: async (part = 'whole') => {
      if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await brokenRules(part);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = await brokenRules(part, ['color-contrast']);
      return [...light, ...dark.map((one) => `dark: ${one}`)];
    },
  };
};
