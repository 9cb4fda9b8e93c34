import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { MachineTelemetry } from './machine-telemetry.js';
import { NO_TELEMETRY, Telemetry } from './telemetry.js';

describe('the telemetry of a machine', () => {
  let root: string;
  let nowMs: number;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'quipu-telemetry-'));
    nowMs = 1_000;
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), text);
    }
  };

  const open = (): MachineTelemetry =>
    new MachineTelemetry({
      logger: pino({ level: 'silent' }),
      nowMs: () => nowMs,
      sources: {
        powercap: path.join(root, 'powercap'),
        hwmon: path.join(root, 'hwmon'),
        proc: path.join(root, 'proc'),
        nvidiaSmi: path.join(root, 'nvidia-smi'),
      },
    });

  const script = async (lines: string): Promise<void> => {
    await write({ 'nvidia-smi': `#!/bin/sh\necho "$*" > ${root}/asked\n${lines}\n` });
    await chmod(path.join(root, 'nvidia-smi'), 0o755);
  };

  it('is null in every part where the machine tells nothing', async () => {
    const telemetry = open();
    expect(await telemetry.read()).toEqual(NO_TELEMETRY);
    expect(await telemetry.read()).toEqual(NO_TELEMETRY);
  });

  it('has the hottest sensor of the processors, and no sensor of anything else', async () => {
    await write({
      'hwmon/hwmon0/name': 'nvme\n',
      'hwmon/hwmon0/temp1_input': '99000\n',
      'hwmon/hwmon1/name': 'coretemp\n',
      'hwmon/hwmon1/temp1_input': '51500\n',
      'hwmon/hwmon1/temp2_input': '48000\n',
      'hwmon/hwmon1/temp3_input': '-273000\n',
      'hwmon/hwmon1/temp1_max': '100000\n',
    });
    const { processors } = await open().read();
    expect(processors).toEqual({ temperatureC: 51.5, powerW: null, utilisationPct: null });
  });

  it('has the mean power of the packages since the last reading, over a wrap', async () => {
    const packages = (first: number, second: number) =>
      write({
        'powercap/intel-rapl:0/energy_uj': `${first}\n`,
        'powercap/intel-rapl:0/max_energy_range_uj': '262143328850\n',
        'powercap/intel-rapl:1/energy_uj': `${second}\n`,
        'powercap/intel-rapl:1/max_energy_range_uj': '100000000\n',
        'powercap/intel-rapl:0:0/energy_uj': '7\n',
      });
    await packages(1_000_000, 90_000_000);
    const telemetry = open();
    expect((await telemetry.read()).processors.powerW).toBeNull();
    await packages(31_000_000, 10_000_000);
    nowMs += 2_000;
    // 30 J of the first and 20 J of the second package in 2 s.
    expect((await telemetry.read()).processors.powerW).toBeCloseTo(25, 9);
  });

  it('has the power of a sensor where there are no counters', async () => {
    await write({
      'hwmon/hwmon0/name': 'fam15h_power\n',
      'hwmon/hwmon0/power1_input': '38500000\n',
    });
    expect((await open().read()).processors.powerW).toBeCloseTo(38.5, 9);
  });

  it('has the utilisation since the last reading, and the used memory', async () => {
    await write({
      'proc/stat': 'cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 1 0 1 7 1 0 0 0 0 0\n',
      'proc/meminfo': 'MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    400 kB\n',
    });
    const telemetry = open();
    expect((await telemetry.read()).processors.utilisationPct).toBeNull();
    await write({ 'proc/stat': 'cpu  140 0 120 720 120 0 0 0 0 0\n' });
    const read = await telemetry.read();
    // 60 busy ticks of 100.
    expect(read.processors.utilisationPct).toBeCloseTo(60, 9);
    expect(read.memoryUsedBytes).toBe(600 * 1_024);
  });

  it('has what each device states, in their order', async () => {
    await script("printf '61, 312.55, 97, 40536\\n43, [N/A], [Not Supported], 0\\n'");
    const { devices } = await open().read();
    expect(devices).toEqual([
      { temperatureC: 61, powerW: 312.55, utilisationPct: 97, memoryUsedBytes: 40_536 * 1_048_576 },
      { temperatureC: 43, powerW: null, utilisationPct: null, memoryUsedBytes: 0 },
    ]);
  });

  it('has no devices where the tool fails, and has them when it works again', async () => {
    await script('exit 9');
    const telemetry = open();
    expect((await telemetry.read()).devices).toBeNull();
    await script("echo '50, 100, 1, 1'");
    expect((await telemetry.read()).devices).toHaveLength(1);
  });

  it('is read from this machine', async () => {
    const telemetry = new MachineTelemetry({ logger: pino({ level: 'silent' }) });
    expect(Telemetry.parse(await telemetry.read()).memoryUsedBytes).toBeGreaterThan(0);
  });
});
