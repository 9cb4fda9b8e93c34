import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type SessionStarted } from '#events/identity/session.events.js';
import { type UserEvent } from '#events/identity/user.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { reject } from '../identity.errors.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { SecondFactors } from './second-factors.js';
import { type RegisteredUser, type UserCommand } from '../users/user.decider.js';
import { type UnreportedWrongCodes } from './wrong-codes.js';

type SecondFactor = SessionStarted['data']['secondFactor'];

/** The commands that a code proves. */
type ProvenCommand = UserCommand & {
  readonly type: 'PresentSecondFactor' | 'ReplaceRecoveryCodes' | 'DisableTwoFactor';
};

export interface AcceptedFactor {
  readonly kind: SecondFactor;
  /** Wrong codes since the last log-in, or null. */
  readonly wrongCodes: UnreportedWrongCodes | null;
}

/** Accepts each code once across all processes, and counts wrong ones across all of them. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly secondFactors: SecondFactors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * For a log-in.
   * @throws DomainError `invalid_otp`, `too_many_wrong_codes`, `two_factor_not_enabled`
   */
  async present(
    { userId, twoFactor }: RegisteredUser,
    code: string,
    context: CommandContext,
  ): Promise<AcceptedFactor> {
    const proof = await this.secondFactors.proofOf(userId, twoFactor, code);
    const data = { userId, proof, at: instant(this.clock) };
    const [accepted] = await this.run({ type: 'PresentSecondFactor', data }, context);
    const wrongCodes =
      accepted?.type === 'OneTimeCodeAccepted' || accepted?.type === 'RecoveryCodeUsed'
        ? accepted.data.reportedWrongCodes
        : null;
    return { kind: proof.kind, wrongCodes };
  }

  /** @throws DomainError `invalid_otp`, `too_many_wrong_codes`, `two_factor_not_enabled` */
  async run(command: ProvenCommand, context: CommandContext): Promise<readonly UserEvent[]> {
    const stream = userStream(command.data.userId);
    const { events } = await this.streams.users.run(stream, command, context);
    const isWrong = events.some(({ type }) => type === 'SecondFactorFailed');
    return isWrong ? reject('invalid_otp', 'the code is not valid') : events;
  }
}
