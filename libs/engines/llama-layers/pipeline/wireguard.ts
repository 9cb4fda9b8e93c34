import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { LayersError } from '../llama-layers.errors.js';

/** Where Linux describes its network interfaces. */
const INTERFACES = '/sys/class/net';

const unavailable = (detail: string): never => {
  throw new LayersError('transport_unavailable', `wireguard_direct is not available: ${detail}`);
};

/**
 * The address of a WireGuard interface of this machine, to listen at.
 * @throws LayersError `transport_unavailable` without one, or for an interface of another kind
 */
export const wireguardAddress = async (
  name: string | null,
  { folder = INTERFACES, addresses = networkInterfaces } = {},
): Promise<string> => {
  if (name === null) return unavailable('no WireGuard interface is configured');
  const described = await readFile(path.join(folder, name, 'uevent'), 'utf8').catch(() => null);
  if (described === null) return unavailable(`this machine has no interface ${name}`);
  if (!described.split('\n').includes('DEVTYPE=wireguard')) {
    return unavailable(`the interface ${name} is not one of WireGuard`);
  }
  const [first] = addresses()[name] ?? [];
  return first?.address ?? unavailable(`the interface ${name} is down or has no address`);
};
