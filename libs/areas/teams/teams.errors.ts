import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. */
export const teamsErrors = {
  /** Also for a team that the caller has nothing to do with. */
  team_not_found: { status: 404, param: 'team_id' },
  team_closed: { status: 409 },
  team_exists: { status: 500 },
  /** The role of the caller in the team. */
  team_role_missing: { status: 403 },
  member_not_found: { status: 404, param: 'member_id' },
  already_member: { status: 409 },
  too_many_members: { status: 409 },
  too_many_invitations: { status: 409 },
  invitation_not_found: { status: 404, param: 'invitation_id' },
  /** Unknown, used, withdrawn or expired. */
  invalid_invitation: { status: 401, param: 'token' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type TeamsErrorCode = keyof typeof teamsErrors;

/** @throws DomainError */
export const reject = (code: TeamsErrorCode, detail: string): never => {
  throw new DomainError<TeamsErrorCode>(code, detail);
};
