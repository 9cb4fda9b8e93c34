import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { memoryOf } from '#platform/tasks/host-memory.js';
import { WorkerHardware } from '#platform/tasks/worker-heartbeat.js';
import { devicesOf, measureHardware } from './hardware.js';

describe('the hardware of a worker', () => {
  it('is read from this machine', async () => {
    const hardware = await measureHardware(pino({ enabled: false }));
    expect(WorkerHardware.parse(hardware).hostMemoryBytes).toBeGreaterThan(2 ** 26);
  });

  it('is what a container leaves the process', () => {
    expect(memoryOf(100, 40)).toBe(40);
    expect(memoryOf(100, 0)).toBe(100);
    expect(memoryOf(100, 2 ** 63)).toBe(100);
  });

  it('has the devices in the table of the driver', () => {
    const table = ['NVIDIA H100 80GB HBM3, 81559', 'Tesla T4, 15360'];
    expect(devicesOf(table)).toEqual([
      { name: 'NVIDIA H100 80GB HBM3', memoryBytes: 81_559 * 1_048_576 },
      { name: 'Tesla T4', memoryBytes: 15_360 * 1_048_576 },
    ]);
  });

  it('has no devices where the table does not state the memory of each', () => {
    expect(devicesOf([])).toBeNull();
    expect(devicesOf(['No devices were found'])).toBeNull();
    expect(devicesOf(['Tesla T4, 15360', 'NVIDIA GB10, [N/A]'])).toBeNull();
  });
});
