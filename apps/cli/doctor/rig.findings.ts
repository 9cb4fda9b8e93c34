import { type CatalogRig } from '#areas/catalog/catalog-entry.js';
import { connectionFailure } from '../../composition/inference/rig-connection.js';
import { missingVariables } from '../../composition/inference/server-rigs.js';
import { CommandFailure } from '../command-failure.js';
import { type Invocation } from '../invocation.js';
import { catalogOffer } from '../rigs/catalog-rigs.js';
import { failed, type Finding, ok, warning } from './finding.js';

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
