import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type NetworkInterfaceInfo } from 'node:os';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wireguardAddress } from './wireguard.js';

describe('the address of a WireGuard interface', () => {
  let folder: string;
  const addresses = () => ({ wg0: [{ address: '10.7.0.2' } as NetworkInterfaceInfo] });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-interfaces-'));
    const interfaces = { wg0: 'DEVTYPE=wireguard\n', wg1: 'DEVTYPE=wireguard\n', eth0: '' };
    for (const [name, kind] of Object.entries(interfaces)) {
      await mkdir(path.join(folder, name));
      await writeFile(path.join(folder, name, 'uevent'), `${kind}INTERFACE=${name}\nIFINDEX=3\n`);
    }
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('is the first that it has', async () => {
    expect(await wireguardAddress('wg0', { folder, addresses })).toBe('10.7.0.2');
  });

  it.each([
    [null, /no WireGuard interface is configured/],
    ['wg9', /has no interface wg9/],
    ['eth0', /eth0 is not one of WireGuard/],
    ['wg1', /wg1 is down or has no address/],
  ])('is refused with a reason: %s', async (name, reason) => {
    const asked = wireguardAddress(name, { folder, addresses });
    await expect(asked).rejects.toMatchObject({
      code: 'transport_unavailable',
      message: expect.stringMatching(reason),
    });
  });

  it('differs from the loopback of this machine', async () => {
    await expect(wireguardAddress('lo')).rejects.toThrow(/lo is not one of WireGuard/);
  });
});
