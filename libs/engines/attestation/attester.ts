import { type Binding } from './binding.js';
import { type Evidence, type TeeType } from './evidence.js';

/** Produces evidence about this machine, bound to a nonce, a room, an enclave key and a log. */
export interface Attester {
  readonly teeType: TeeType;
  /** @throws AttestationError `attester_unavailable`, which names what is missing */
  attest(binding: Binding): Promise<Evidence>;
}

/** Reports the event log of the software and claims no more. */
export class SoftwareAttester implements Attester {
  readonly teeType = 'software';

  attest({ log }: Binding): Promise<Evidence> {
    return Promise.resolve({ type: 'software', log });
  }
}
