import { hash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ProofKeyEvent, type ProofKeyRegistered } from '#events/proofs/proof-key.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { readKey } from './claims.js';
import { type ProofKeyCommand, type ProofKeyState } from './proof-key.decider.js';
import { ProofRunner } from './proof-runner.js';
import { reject, UnreadableProofError } from './proofs.errors.js';
import { type ProofKey } from './proofs.engine.js';

export type ProofKeyRunner = CommandRunner<ProofKeyCommand, ProofKeyState, ProofKeyEvent>;
export const PROOF_KEY_RUNNER = Symbol('ProofKeyRunner');

const STREAM = 'proof-keys';
/** Keys are checked on behalf of the installation, and take turns as one account. */
const ACCOUNT = 'proof-keys';
const CHECK_MS_MAX = 30_000;

export interface RegisteredProofKey {
  readonly key: RegisteredKey;
  readonly position: bigint;
}

/** Registers a verification key; the same one again changes nothing. */
export class RegisterProofKeyCommand extends Command<RegisteredProofKey> {
  constructor(
    readonly keyId: string,
    readonly source: string,
    /** As snarkjs writes it. */
    readonly verificationKey: unknown,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterProofKeyCommand)
export class RegisterProofKeyHandler implements ICommandHandler<RegisterProofKeyCommand> {
  constructor(
    private readonly proofs: ProofRunner,
    @Inject(PROOF_KEY_RUNNER) private readonly runner: ProofKeyRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError, ProofsFailureError */
  async execute(command: RegisterProofKeyCommand): Promise<RegisteredProofKey> {
    const { keyId, source, context } = command;
    const key = readKey(command.verificationKey);
    await this.#check(key);
    const keyJson = JSON.stringify(key);
    const data: ProofKeyRegistered['data'] = {
      keyId,
      keyJson,
      sha256: hash('sha256', keyJson),
      scheme: key.protocol,
      curve: key.curve,
      inputs: key.nPublic,
      source,
      registeredAt: instant(this.clock),
    };
    const { state, position } = await this.runner.run(
      STREAM,
      { type: 'RegisterProofKey', data },
      context,
    );
    const registeredAt = state.known.get(keyId)?.registeredAt ?? data.registeredAt;
    return { key: { ...data, registeredAt, retiredAt: null }, position };
  }

  /** @throws DomainError `proof_key_invalid` for a point outside of its group */
  async #check(key: ProofKey): Promise<void> {
    try {
      await this.proofs.run(ACCOUNT, { kind: 'check_key', key }, AbortSignal.timeout(CHECK_MS_MAX));
    } catch (error) {
      if (error instanceof UnreadableProofError) return reject('proof_key_invalid', error.detail);
      throw error;
    }
  }
}

export class RetireProofKeyCommand extends Command<void> {
  constructor(
    readonly keyId: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RetireProofKeyCommand)
export class RetireProofKeyHandler implements ICommandHandler<RetireProofKeyCommand> {
  constructor(
    @Inject(PROOF_KEY_RUNNER) private readonly runner: ProofKeyRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `proof_key_not_found`, `proof_key_built_in` */
  async execute({ keyId, context }: RetireProofKeyCommand): Promise<void> {
    const data = { keyId, retiredAt: instant(this.clock) };
    await this.runner.run(STREAM, { type: 'RetireProofKey', data }, context);
  }
}
