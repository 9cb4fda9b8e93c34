/**
 * What the process is for. Services whose work belongs to one kind of process look here in their
 * life-cycle hooks: a command of the CLI composes the same modules and must not start them.
 */
export class ProcessRole {
  constructor(readonly name: 'gateway' | 'projector' | 'worker' | 'cli') {}

  /** Whether callers are served over HTTP. */
  get servesCallers(): boolean {
    return this.name === 'gateway';
  }
}
