/** A gateway of a group ended before it listened; it has printed why. */
export class GatewayStartError extends Error {
  override readonly name = 'GatewayStartError';

  constructor(readonly exitCode: number) {
    super(`a gateway ended with ${exitCode} before it listened`);
  }
}
