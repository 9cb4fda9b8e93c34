import { AttestationError } from '../attestation.errors.js';
import { type Attester } from '../attester.js';
import { type Binding, bindingDigest } from '../binding.js';
import { type Evidence } from '../evidence.js';
import { runProgram } from '../run-program.js';

/**
 * Asks a program in the enclave for the document of the Nitro Secure Module, since Node cannot call
 * the module's device. The program takes the user data and the public key in hex, the nonce as
 * text, and prints the document in base64.
 */
export class NitroAttester implements Attester {
  readonly teeType = 'aws_nitro';

  constructor(private readonly program: string) {}

  async attest(binding: Binding): Promise<Evidence> {
    const userData = bindingDigest(binding).toString('hex');
    const publicKey = Buffer.from(binding.enclaveKeySpki, 'base64').toString('hex');
    const output = await runProgram(this.program, [userData, publicKey, binding.nonce]);
    const document = output.toString('latin1').trim();
    if (!/^[A-Za-z\d+/]+={0,2}$/.test(document)) {
      throw new AttestationError('attester_unavailable', `${this.program} printed no document`);
    }
    return { type: 'aws_nitro', log: binding.log, document };
  }
}
