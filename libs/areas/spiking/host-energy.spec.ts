import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HostEnergy } from './host-energy.js';

describe('the energy of the host', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-powercap-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const count = async (name: string, microJoules: string): Promise<void> => {
    await mkdir(path.join(folder, name), { recursive: true });
    await writeFile(path.join(folder, name, 'max_energy_range_uj'), '1000000\n');
    await writeFile(path.join(folder, name, 'energy_uj'), `${microJoules}\n`);
  };

  it('is the sum over packages, in joules, and counts no part twice', async () => {
    await count('intel-rapl:0', '100');
    await count('intel-rapl:1', '200');
    await count('intel-rapl:0:0', '100');
    const stop = await new HostEnergy(folder).start();
    await count('intel-rapl:0', '600');
    await count('intel-rapl:1', '900');
    await count('intel-rapl:0:0', '600');
    expect(await stop()).toBeCloseTo(0.0012, 10);
  });

  it('survives a counter that starts again', async () => {
    await count('intel-rapl:0', '999900');
    const stop = await new HostEnergy(folder).start();
    await count('intel-rapl:0', '50');
    expect(await stop()).toBeCloseTo(0.00015, 10);
  });

  it('is null where there is no counter, or one cannot be read', async () => {
    const none = await new HostEnergy(path.join(folder, 'absent')).start();
    expect(await none()).toBeNull();
    await count('intel-rapl:0', '100');
    await count('intel-rapl:1', 'no number');
    const some = await new HostEnergy(folder).start();
    expect(await some()).toBeNull();
  });
});
