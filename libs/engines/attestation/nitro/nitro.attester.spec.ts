import { describe, expect, it } from '@jest/globals';
import { BINDING } from '../binding.fixture.js';
import { NitroAttester } from './nitro.attester.js';

describe('the attester of AWS Nitro outside an enclave', () => {
  it.each([
    ['/opt/no-such-program', '/opt/no-such-program: it is not installed'],
    ['/bin/false', '/bin/false: Command failed'],
    ['/bin/true', '/bin/true printed no document'],
  ])('reports what is missing: %s', async (program, message) => {
    await expect(new NitroAttester(program).attest(BINDING)).rejects.toMatchObject({
      ...{ code: 'attester_unavailable', message: expect.stringContaining(message) },
    });
  });
});
