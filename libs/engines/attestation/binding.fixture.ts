import { type Binding } from './binding.js';

/** A binding with an X25519 key of RFC 7748, section 6.1. */
export const BINDING: Binding = {
  nonce: 'nonce-of-the-caller',
  cleanroomUuid: '01890a5d-ac96-774b-bcce-b302099a8057',
  enclaveKeySpki: Buffer.from(
    '302a300506032b656e032100' + '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
    'hex',
  ).toString('base64'),
  log: [
    { subject: 'build', name: 'enclave.child.js', sha256: 'a'.repeat(64) },
    { subject: 'policy', name: 'no-logs', sha256: 'b'.repeat(64) },
    { subject: 'configuration', name: 'model', sha256: 'c'.repeat(64) },
  ],
};

export const binding = (change: Partial<Binding>): Binding => ({ ...BINDING, ...change });
