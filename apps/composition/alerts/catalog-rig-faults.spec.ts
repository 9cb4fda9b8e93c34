import { expect, it } from '@jest/globals';
import { CatalogRigFaults } from './catalog-rig-faults.js';

const rigOf = (name: string, kind = 'openai') => ({ name, kind, baseUrl: `http://${name}/v1` });

it('finds open breakers, and servers that take no connection', async () => {
  const probed: string[] = [];
  const faults = new CatalogRigFaults(
    {
      rigs: () =>
        ['up', 'failing', 'silent'].map((one) => rigOf(one)).concat(rigOf('own', 'embedded')),
    } as never,
    {
      status: () =>
        [
          { name: 'up', breaker: 'closed' },
          { name: 'failing', breaker: 'half-open' },
        ] as never,
    },
    ({ baseUrl }) => {
      probed.push(baseUrl);
      return Promise.resolve(baseUrl === 'http://silent/v1' ? 'ECONNREFUSED' : null);
    },
  );
  expect(await faults.now(new AbortController().signal)).toEqual([
    { rig: 'failing', cause: 'breaker_open' },
    { rig: 'silent', cause: 'unreachable' },
  ]);
  expect(probed).toEqual(['http://up/v1', 'http://silent/v1']);
});

it('opens 16 connections at once', async () => {
  let open = 0;
  let most = 0;
  const rigs = Array.from({ length: 40 }, (_, index) => rigOf(`rig-${index}`));
  const faults = new CatalogRigFaults(
    { rigs: () => rigs } as never,
    { status: () => [] },
    async () => {
      most = Math.max(most, (open += 1));
      await Promise.resolve();
      open -= 1;
      return 'ECONNREFUSED';
    },
  );
  expect(await faults.now(new AbortController().signal)).toHaveLength(40);
  expect(most).toBe(16);
});
