/** Every page that the console declares, for every role, in both themes. */
import { glob } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chatRequest } from '../end-to-end/quipu.harness.js';
import { type ConsoleTab, type ConsoleWorld, openConsole } from './console.fixture.js';

const CONSOLE = path.resolve(import.meta.dirname, '../../apps/console');
const OTHER_ROLES = ['renter', 'Partner', 'Investor'] as const;
const ROLES = [...OTHER_ROLES, 'Admin'] as const;
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
   * The page is shown, and the reads that it began are answered. The Admin, whom every page takes,
   * loads the document with each page; the others turn to it from the page before.
   */
  const show = async (role: string, page: Page): Promise<ConsoleTab> => {
    const tab = tabs.get(role);
    if (!tab) throw new Error(`no tab of ${role}`);
    tab.faults.length = 0;
    if (role === 'Admin') await tab.openWhole(addressOf(page));
    else await tab.turnTo(addressOf(page));
    return tab;
  };

  const faultsOf = ({ faults }: ConsoleTab, { path: declaredPath }: Page): readonly string[] =>
    declaredPath.includes(':') ? faults.filter((fault) => !MISSING.test(fault)) : faults;

  const faultsOfOthers = (page: Page): Promise<readonly unknown[]> =>
    Promise.all(
      OTHER_ROLES.map(async (role) => [role, faultsOf(await show(role, page), page)] as const),
    );

  /** As the Admin. The first page is looked at with the shell, which is the same on all others. */
  const inspect = async (page: Page) => {
    const part = page === declared[0] ? 'whole' : 'without shell';
    const tab = await show('Admin', page);
    const broken = await tab.violations(part);
    await tab.page.setViewportSize({ width: 320, height: 640 });
    const width = await tab.page.evaluate('document.documentElement.scrollWidth');
    const brokenNarrow = await tab.narrowViolations(part);
    await tab.page.setViewportSize({ width: 1280, height: 720 });
    return { faults: faultsOf(tab, page), broken, width, brokenNarrow };
  };

  it.each(declared.map((page) => [page.path, page] as const))(
    '%s has no error for any role, breaks no rule of accessibility, and fits 320 pixels',
    async (_, page) => {
      const [others, inspected] = await Promise.all([faultsOfOthers(page), inspect(page)]);
      expect(others).toEqual(OTHER_ROLES.map((role) => [role, []]));
      expect(inspected).toEqual({ faults: [], broken: [], width: 320, brokenNarrow: [] });
    },
  );
});
