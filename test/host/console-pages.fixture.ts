import { expect } from '@jest/globals';
import { type Page } from 'playwright-core';
import { type World, type WorldOptions } from '../end-to-end/quipu.harness.js';
import { type ConsoleTab, openConsole } from './console.fixture.js';

const NARROW = { width: 320, height: 640 };
const WIDE = { width: 1_280, height: 800 };

type Answer = Readonly<Record<string, unknown>>;

/** The console of the first user, with every scope. */
export interface OpenPages {
  readonly world: World;
  readonly page: Page;
  /** Calls a route with the key of the first user. */
  call(method: string, path: string, body?: object): Promise<Answer>;
  /** Opens a page of the console and waits for its answers. */
  open(path: string): Promise<void>;
  shows(selector: string, text: string | RegExp): Promise<void>;
  picture: ConsoleTab['picture'];
  /** Expects no error, no policy violation, no fault of axe in both themes, and no overflow. */
  expectSound(): Promise<void>;
  close(): Promise<void>;
}

export const openPages = async (options: WorldOptions = {}): Promise<OpenPages> => {
  const console = await openConsole(options);
  const { world } = console;
  const { username, password, api_key: key } = world.credentials;
  const tab = await console.openTab();
  const { page, faults } = tab;
  await page.setViewportSize(WIDE);
  await tab.signIn(username, password);
  await page.waitForSelector('#position');

  return {
    world,
    page,
    shows: (selector, text) => tab.shows(selector, text),
    picture: (name, seen) => tab.picture(name, seen),
    close: () => console.close(),
    call: async (method, path, body) => {
      const reply = await fetch(`${world.quipu.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = (await reply.json()) as Answer;
      expect([path, reply.ok, answer]).toEqual([path, true, answer]);
      return answer;
    },
    open: (path) => tab.openWhole(path),
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
