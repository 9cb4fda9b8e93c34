import { DomainError } from '#platform/kernel/domain-error.js';
import { type IdentityRefusal } from './identity.errors.js';

/** @param detail a sentence for the caller; never a secret, never whether somebody exists */
export const refuse = (code: IdentityRefusal, detail: string): never => {
  throw new DomainError<IdentityRefusal>(code, detail);
};
