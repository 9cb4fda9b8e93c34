import { once } from 'node:events';
import { connect } from 'node:net';
import { type CatalogRig, type ServerRigEntry } from '#areas/catalog/catalog-entry.js';
import { missingVariables } from '../../composition/inference/server-rigs.js';
import { CommandFailure } from '../command-failure.js';
import { type Invocation } from '../invocation.js';
import { catalogOffer } from '../rigs/catalog-rigs.js';
import { failed, type Finding, ok, warning } from './finding.js';

const CONNECT_MS_MAX = 3_000;
const HTTPS_PORT = 443;
const HTTP_PORT = 80;

/** The catalog, and whether its servers can be reached and their keys are set. */
export const rigFindings = async (invocation: Invocation): Promise<readonly Finding[]> => {
  try {
    const { rigs, models } = await catalogOffer(invocation);
    const counts = `${models.length} models and ${rigs.length} rigs`;
    return [ok('catalog', counts), ...(await Promise.all(rigs.map(rigFinding)))];
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return [failed('catalog', error.message, 'correct the file: quipu catalog check')];
  }
};

const rigFinding = async (rig: CatalogRig): Promise<Finding> => {
  const part = `rig ${rig.name}`;
  if (rig.kind === 'embedded') return ok(part, 'in this process');
  const missing = missingVariables(rig);
  if (missing.length > 0) {
    return warning(part, `${missing.join(', ')} is not set`, 'set it, or remove the rig');
  }
  const reason = await connectionFailure(rig);
  if (reason === null) return ok(part, `${rig.baseUrl} takes connections`);
  return warning(part, `${rig.baseUrl}: ${reason}`, 'start the server, or correct its base_url');
};

/** Null where a connection was made. No request is sent: it might cost money. */
const connectionFailure = async ({ baseUrl }: ServerRigEntry): Promise<string | null> => {
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
