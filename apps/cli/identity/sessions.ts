import { EndSessionsCommand } from '#areas/identity/sessions/end-sessions.handler.js';
import { ListSessionsQuery } from '#areas/identity/sessions/list-sessions.handler.js';
import { RevokeSessionCommand } from '#areas/identity/sessions/revoke-session.handler.js';
import { sessions } from '#projections/identity/sessions.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { userIdOf } from '../user-option.js';

export interface SessionsOptions extends CommonOptions {
  readonly user: string;
}

export interface EndSessionsOptions extends SessionsOptions {
  /** Absent: every session. */
  readonly session?: string;
}

const NEEDS = {
  areas: ['identity', 'billing'],
  installation: 'exists',
  projections: [sessions],
} as const;

export const listSessions = ({ user }: SessionsOptions, invocation: Invocation): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ queries }) => {
    const userId = await userIdOf({ queries }, user);
    const { sessions: open } = await queries.execute(new ListSessionsQuery(userId));
    const rows = open.map((session) => [
      session.sessionId,
      session.appName ?? '-',
      session.deviceInfo ?? '-',
      session.startedAt,
      session.expiresAt,
      session.scopes.join(' '),
    ]);
    const header = ['ID', 'APP', 'DEVICE', 'STARTED', 'EXPIRES', 'SCOPES'];
    return {
      json: {
        user_id: userId,
        sessions: open.map((session) => ({
          session_id: session.sessionId,
          app_name: session.appName,
          device_info: session.deviceInfo,
          scopes: session.scopes,
          second_factor: session.secondFactor,
          started_at: session.startedAt,
          expires_at: session.expiresAt,
        })),
      },
      text: listText({ noun: 'sessions', header, rows }),
    };
  });

export const endSessions = (
  { user, session: sessionId }: EndSessionsOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const userId = await userIdOf({ queries }, user);
    const one = async (id: string): Promise<number> => {
      await commands.execute(new RevokeSessionCommand({ sessionId: id, userId }, context()));
      return 1;
    };
    const ended =
      sessionId === undefined
        ? await commands.execute(new EndSessionsCommand(userId, context()))
        : await one(sessionId);
    return {
      json: { user_id: userId, ended },
      text: `Sessions of ${user} that have ended: ${ended}.`,
    };
  });
