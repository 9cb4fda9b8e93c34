import { describe, expect, it } from '@jest/globals';
import { HOUSE } from '../probes/planted-house.js';
import { NAMED, namedMutantsOf } from './named.mutants.js';

/** Part of `npm test`, so that a change of a source finds the mutant that names it. */
describe('the named mutants', () => {
  it('are in the sources', async () => {
    expect(await namedMutantsOf(HOUSE)).toHaveLength(NAMED.length);
  });
});
