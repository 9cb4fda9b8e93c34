/** Every page that the console declares, for every role, in both themes. */
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatRequest } from '../end-to-end/quipu.harness.js';
import { type ConsoleTab, type ConsoleWorld, openConsole } from './console.fixture.js';

const CONSOLE = path.resolve(import.meta.dirname, '../../apps/console');
const OTHER_ROLES = ['renter', 'Partner', 'Investor'] as const;
const ROLES = [...OTHER_ROLES, 'Admin'] as const;
/** It may open fewer pages than others, so its loads are short. */
const LOADING_ROLE = 'renter';
const PASSWORD = 'correct horse battery';
/** Ids of users ascend without gaps: an Admin, the renter, then the Partner. */
const PARTNER_USER = 3;
const COLOUR = '#7a3e1d';
const PARTNER = {
  partner_name: 'Andes Cloud',
  partner_slug: 'andes-cloud',
  revenue_share_pct: 15,
  revenue_share_max_pct: 20,
  branding: {
    primary_color: COLOUR,
    accent_color: COLOUR,
    body_bg_color: COLOUR,
    card_bg_color: COLOUR,
  },
};
const UNKNOWN_ID = '01990a5d-ac96-774b-bcce-b302099a8057';
/** The record of a page with parameters may be missing: the gateway then answers 404. */
const MISSING = /^Failed to load resource: .* status of (400|404) /;

/** As a `ConsoleArea` declares it; types of the console need a browser. */
interface Page {
  readonly path: string;
}

const declared: Page[] = [];
for await (const file of glob(`${CONSOLE}/*/*.pages.ts`)) {
  const { default: area } = (await import(file)) as {
    readonly default: { readonly pages: readonly Page[] };
  };
  declared.push(...area.pages);
}

describe('every page of the console', () => {
  let console: ConsoleWorld;
  let requestId: string;
  const tabs = new Map<string, ConsoleTab>();

  const addressOf = ({ path: declaredPath }: Page): string => {
    if (declaredPath === '/requests/:id') return `/requests/${requestId}`;
    return declaredPath
      .replace(':month', new Date().toISOString().slice(0, 'YYYY-MM'.length))
      .replaceAll(/:\w+/g, UNKNOWN_ID)
      .replace(/^\/$/, '');
  };

  beforeAll(async () => {
    console = await openConsole();
    const { api_key: key, username, password } = console.world.credentials;
    requestId = (await console.post('/v1/chat/completions', key, chatRequest())).id;
    for (const role of ROLES) {
      const name = `a-${role.toLowerCase()}`;
      const body = { username: name, email: `${name}@example.org`, role, password: PASSWORD };
      const isFirst = role === 'Admin';
      if (!isFirst) await console.post('/api/v1/users', key, body);
      const tab = await console.openTab();
      await tab.signIn(isFirst ? username : name, isFirst ? password : PASSWORD);
      await tab.page.waitForSelector('#position');
      tabs.set(role, tab);
    }
    await console.post('/api/v1/partners', key, PARTNER);
    const assigned = await fetch(
      `${console.world.quipu.url}/api/v1/partners/1/managers/${PARTNER_USER}`,
      { method: 'PUT', headers: { authorization: `Bearer ${key}` } },
    );
    expect(assigned.status).toBe(200);
  });

  afterAll(() => console.close());

  it('is found', () => {
    expect(declared.map((page) => page.path)).toContain('/requests/:id');
    expect(new Set(declared.map((page) => page.path)).size).toBe(declared.length);
  });

  /**
   * The page is shown, and the reads that it began are answered. One role loads the document with
   * each page, the others turn to it from the page before.
   */
  const show = async (role: string, page: Page): Promise<ConsoleTab> => {
    const tab = tabs.get(role);
    if (!tab) throw new Error(`no tab of ${role}`);
    tab.faults.length = 0;
    if (role === LOADING_ROLE) await tab.openWhole(addressOf(page));
    else await tab.turnTo(addressOf(page));
    return tab;
  };

  const faultsOf = ({ faults }: ConsoleTab, { path: declaredPath }: Page): readonly string[] =>
    declaredPath.includes(':') ? faults.filter((fault) => !MISSING.test(fault)) : faults;

  describe.each(declared.map((page) => [page.path, page] as const))('%s', (_, page) => {
    it('has no error for the other roles', async () => {
      const faults = OTHER_ROLES.map(async (role) => [
        role,
        faultsOf(await show(role, page), page),
      ]);
      expect(await Promise.all(faults)).toEqual(OTHER_ROLES.map((role) => [role, []]));
    });

    it('breaks no rule of accessibility, fits 320 pixels, and has no error', async () => {
      const tab = await show('Admin', page);
      expect(await tab.violations()).toEqual([]);
      await tab.page.setViewportSize({ width: 320, height: 640 });
      expect(await tab.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
      expect(await tab.narrowViolations()).toEqual([]);
      await tab.page.setViewportSize({ width: 1280, height: 720 });
      expect(faultsOf(tab, page)).toEqual([]);
    });
  });
});
