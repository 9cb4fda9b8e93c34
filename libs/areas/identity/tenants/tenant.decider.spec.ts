import { describe, it } from '@jest/globals';
import { TenantDefined } from '#events/identity/tenant.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { tenantDecider } from './tenant.decider.js';

const AT = '2026-11-21T04:48:00.000Z';
const UNTIL = '2026-11-21T04:53:00.000Z';

describe('a tenant', () => {
  const tenant = deciderSpecOf(tenantDecider);
  const definition = {
    slug: 'quipu',
    name: 'Quipu',
    primaryColor: '#7a3e1d',
    baseUrl: 'http://127.0.0.1:8080',
    definedAt: AT,
  };
  const defined = TenantDefined.of(definition);

  it('is defined again when something changes', () => {
    tenant.given().when({ type: 'DefineTenant', data: definition }).then(defined);
    const later = { ...definition, definedAt: UNTIL };
    tenant.given(defined).when({ type: 'DefineTenant', data: later }).thenNothing();
    const renamed = { ...later, name: 'Khipu' };
    const renaming = tenant.given(defined).when({ type: 'DefineTenant', data: renamed });
    renaming.then(TenantDefined.of(renamed));
  });
});
