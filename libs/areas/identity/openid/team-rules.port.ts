import { type TeamGrant } from '#events/identity/group-rule.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';

/** The memberships that the rules of groups decide. The composition root binds it. */
export abstract class TeamRules {
  /** Makes the memberships of a user by rules these, at a sign-in. */
  abstract apply(
    userId: UserId,
    granted: readonly TeamGrant[],
    context: CommandContext,
  ): Promise<void>;
}
