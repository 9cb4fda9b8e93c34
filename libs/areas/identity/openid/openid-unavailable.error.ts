/** The OpenID provider did not answer, or not as a provider does. */
export class OpenIdUnavailableError extends Error {
  override readonly name = 'OpenIdUnavailableError';
}
