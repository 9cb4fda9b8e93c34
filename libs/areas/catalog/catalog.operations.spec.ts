import { describe, expect, it } from '@jest/globals';
import { ProcessEvents } from '#platform/runtime/process/process-events.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { type Catalog } from './catalog.js';
import { CatalogOperations } from './catalog.operations.js';

describe('the catalog of a process', () => {
  it.each([
    ['gateway', false, ['start', 'stop']],
    ['projector', true, ['start', 'stop']],
    ['cli', false, []],
  ] as const)('of a %s is read where requests or jobs need it', async (role, reacts, calls) => {
    const called: string[] = [];
    const call = (name: string) => () => {
      called.push(name);
      return Promise.resolve();
    };
    const catalog = { start: call('start'), stop: call('stop') } as unknown as Catalog;
    const facts = new ProcessFacts({ instance: 'one', sharesBus: true, runsReactions: reacts });
    const operations = new CatalogOperations(
      catalog,
      new ProcessRole(role),
      facts,
      new ProcessEvents(),
    );
    await operations.onApplicationBootstrap();
    await operations.onApplicationShutdown();
    expect(called).toEqual(calls);
  });
});
