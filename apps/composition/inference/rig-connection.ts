import { once } from 'node:events';
import { connect } from 'node:net';
import { type ServerRigEntry } from '#areas/catalog/catalog-entry.js';

const CONNECT_MS_MAX = 3_000;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** Null where a connection was made. No request is sent: it might cost money. */
export const connectionFailure = async ({
  baseUrl,
}: Pick<ServerRigEntry, 'baseUrl'>): Promise<string | null> => {
  const { hostname, port, protocol } = new URL(baseUrl);
  const fallback = protocol === 'https:' ? HTTPS_PORT : HTTP_PORT;
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: port === '' ? fallback : Number(port) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS_MAX) });
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    return code === 'ABORT_ERR' ? `no connection within ${CONNECT_MS_MAX / 1_000} s` : code;
  } finally {
    socket.destroy();
  }
};
