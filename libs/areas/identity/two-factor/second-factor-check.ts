import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type SessionStarted } from '#events/identity/session.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { IdentityStreams, userStream } from '../identity.streams.js';
import { SecondFactors } from './second-factors.js';
import { type RegisteredUser } from '../users/user.decider.js';

type SecondFactor = SessionStarted['data']['secondFactor'];

/** Accepts each code once across all processes. */
@Injectable()
export class SecondFactorCheck {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly secondFactors: SecondFactors,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `invalid_otp`, `two_factor_not_enabled` */
  async present(
    { userId, twoFactor }: RegisteredUser,
    code: string,
    context: CommandContext,
  ): Promise<SecondFactor> {
    const proof = await this.secondFactors.proofOf(userId, twoFactor, code);
    const data = { userId, proof, at: instant(this.clock) };
    const command = { type: 'PresentSecondFactor', data } as const;
    await this.streams.users.run(userStream(userId), command, context);
    return proof.kind;
  }
}
