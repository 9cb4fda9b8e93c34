import { Inject, Injectable } from '@nestjs/common';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fingerprint, mintSecret } from '../authentication/credentials.js';
import { challengeStream, IdentityStreams } from '../identity.streams.js';
import { grantedScopes } from '../keys/key-policy.js';
import { type AppClient } from '../sessions/session-opener.js';
import { PersonalData } from '../users/personal-data.js';
import { type RegisteredUser } from '../users/user.decider.js';

/** Section 8 of the interface. */
export const CHALLENGE_SECONDS = 300;

/** Issues challenges to users who have proven the first factor. */
@Injectable()
export class Challenges {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly personalData: PersonalData,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @throws DomainError `scope_not_allowed`
   * @returns the token (`svc_2fa_…`), shown once, that completes the log-in with a code
   */
  async issue(
    { userId, role }: RegisteredUser,
    { appName, deviceInfo, scopes }: AppClient,
    context: CommandContext,
  ): Promise<string> {
    const tempToken = mintSecret('challenge');
    const challengeHash = fingerprint(tempToken);
    const data = {
      challengeHash,
      userId,
      sealedAppName: await this.personalData.sealIfAny(userId, 'app-name', appName),
      sealedDeviceInfo: await this.personalData.sealIfAny(userId, 'device-info', deviceInfo),
      scopes: [...grantedScopes(scopes, role)],
      issuedAt: instant(this.clock),
      expiresAt: new Date(this.clock.now() + CHALLENGE_SECONDS * 1_000).toISOString(),
    };
    const stream = challengeStream(challengeHash);
    await this.streams.challenges.run(stream, { type: 'IssueChallenge', data }, context);
    return tempToken;
  }
}
