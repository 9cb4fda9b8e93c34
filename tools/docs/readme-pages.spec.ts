import { beforeAll, describe, expect, it } from '@jest/globals';
import { readmePages } from './readme-pages.js';

describe('the pages of READMEs', () => {
  let pages: ReadonlyMap<string, string>;

  beforeAll(async () => {
    pages = await readmePages('/reference');
  });

  it('are one for each area, with its decisions and the settings', () => {
    const places = ['areas/billing', 'platform/audit', 'apps/gateway-inference', 'operations'];
    expect([...pages.keys()]).toEqual(expect.arrayContaining([...places, 'settings']));
    expect(pages.get('areas/billing')).toContain('Source: `libs/areas/billing/README.md`.');
  });

  it('link to each other, and to no file', () => {
    expect(pages.get('areas/audit')).toContain('[libs/platform/audit](/reference/platform/audit)');
    expect(pages.get('apps/gateway-inference')).toContain(
      '](/reference/areas/inference-rigs#providers)',
    );
    const targets = [...pages.values()].flatMap((text) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    );
    const known = targets.filter((target) => /^(https?:|#)/.test(target));
    const linked = targets.filter((target) => !known.includes(target));
    expect(linked.length).toBeGreaterThan(50);
    for (const target of linked) {
      const page = target.replace(/#.*$/, '').replace('/reference/', '');
      expect([target, pages.has(page)]).toEqual([target, true]);
    }
  });
});
