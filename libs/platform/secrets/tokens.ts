/** Inject the installation's `Secrets` by this token. */
export const SECRETS = Symbol('Secrets');
