import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { type WorkerRig } from '#projections/fleet/worker-rigs.projection.js';
import { FleetOperations } from './fleet.operations.js';
import { fleetSettings } from './fleet.settings.js';
import { DESCRIPTION } from './worker-rig.fixture.js';

describe('the metrics of a fleet', () => {
  it('count its rigs by state and region, at each scrape', async () => {
    const rigOf = (region: string | null, more: Partial<WorkerRig> = {}) => ({
      document: {
        rig: {
          presence: 'up',
          drain: 'none',
          description: { ...DESCRIPTION, region },
          ...more,
        },
      },
    });
    let documents = [rigOf('uk'), rigOf('uk'), rigOf(null), rigOf('uk', { presence: 'lost' })];
    const registry = new Registry();
    let isAway = false;
    const list = () =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve({ documents, position: 0n });
    const operations = new FleetOperations({ list } as never, registry);
    const counts = async () => {
      await operations.collect();
      return (await registry.metrics()).split('\n').filter((line) => line.startsWith('quipu_'));
    };
    expect(await counts()).toEqual([
      'quipu_fleet_rigs{state="up",region="uk"} 2',
      'quipu_fleet_rigs{state="up",region=""} 1',
      'quipu_fleet_rigs{state="lost",region="uk"} 1',
    ]);
    documents = [rigOf('uk', { drain: 'requested' })];
    expect(await counts()).toEqual(['quipu_fleet_rigs{state="draining",region="uk"} 1']);
    isAway = true;
    expect(await counts()).toEqual([]);
  });
});

describe('the entry points', () => {
  const read = (values: Readonly<Record<string, string>>) => {
    const { variables } = fleetSettings;
    const parsed = Object.fromEntries(
      Object.entries(variables).map(([name, { schema }]) => [name, schema.parse(values[name])]),
    );
    return fleetSettings.read(parsed as never, {} as never).entryPoints;
  };

  it('are none where none is set, and have no slash at their end', () => {
    expect(read({})).toBeNull();
    expect(read({ QUIPU_API_URL_UK: 'https://uk.example.org/v1/' })).toEqual({
      global: null,
      uk: 'https://uk.example.org/v1',
      na: null,
      apac: null,
    });
    expect(() => read({ QUIPU_API_URL: 'ftp://example.org' })).toThrow();
  });
});
