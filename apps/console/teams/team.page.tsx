import { Answered, usePageRead, useRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

type Team = AnswerOf<'/api/v1/teams/{team_id}'>['team'];
type Member = Team['members'][number];
type Invitation = Team['invitations'][number];
type Key = AnswerOf<'/api/v1/teams/{team_id}/keys'>['keys'][number];

interface OfTeam {
  readonly team: string;
}

const ROLES = ['owner', 'admin', 'developer', 'billing', 'auditor'];

const factsOf = ({ funds, ...team }: Team): readonly Fact[] => [
  ['Id', <code key="id">{team.team_id}</code>],
  ['Account above', <code key="above">{team.parent_id}</code>],
  ['Funded', usd(funds.funded_usd)],
  ['Charged', usd(funds.charged_usd)],
  ['Held', usd(funds.held_usd)],
  ['Available', usd(funds.available_usd)],
  ['Created, UTC', instant(team.created_at)],
  ['Closed, UTC', orDash(team.closed_at, instant)],
];

const Amount = () => (
  <>
    <label>
      Dollars
      <input name="usd" type="number" min="0.000001" step="any" required />
    </label>
    <label>
      Reason, which names no person
      <input name="reason" maxLength={500} />
    </label>
  </>
);

const amountIn = (form: FormData): object => ({
  amount_usd: Number(textIn(form, 'usd')),
  reason: textIn(form, 'reason'),
});

const Money = ({ team }: OfTeam) => (
  <>
    <WriteDialog
      opens="Give money"
      explains="Moves money from the account directly above, which has to be yours."
      label="Give"
      route={routeOf('/api/v1/teams/{team_id}/allotments', { team_id: team })}
      bodyOf={amountIn}
    >
      <Amount />
    </WriteDialog>
    <WriteDialog
      opens="Take money back"
      explains="As much as the team has not spent and running requests do not hold."
      label="Take back"
      route={routeOf('/api/v1/teams/{team_id}/take_backs', { team_id: team })}
      bodyOf={amountIn}
    >
      <Amount />
    </WriteDialog>
  </>
);

const Close = ({ team }: OfTeam) => (
  <WriteDialog
    opens="Close the team"
    explains={
      'Its free money returns to the account above. Its members, invitations and keys end. ' +
      'A closed team is not opened again. Money that comes later returns by another close.'
    }
    label="Close for good"
    route={routeOf('/api/v1/teams/{team_id}/close', { team_id: team })}
  />
);

const Role = () => (
  <label>
    Role
    <select name="role" required>
      {ROLES.map((role) => (
        <option key={role}>{role}</option>
      ))}
    </select>
  </label>
);

const Invite = ({ team }: OfTeam) => (
  <WriteDialog
    opens="Invite a member"
    explains="The token makes one user a member within a week. It is shown once."
    label="Invite"
    route={routeOf('/api/v1/teams/{team_id}/invitations', { team_id: team })}
    bodyOf={(form) => ({ role: textIn(form, 'role') })}
    done={({ token }) => <pre tabIndex={0}>{token}</pre>}
  >
    <Role />
  </WriteDialog>
);

const membersOf = (team: string): readonly Column<Member>[] => [
  { name: 'User', isNumber: true, cell: (member) => member.user_id },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'By', cell: ({ source }) => source },
  {
    name: 'Change',
    cell: ({ member_id: id, user_id: user }) => {
      const member = { team_id: team, member_id: id };
      return (
        <>
          <WriteDialog
            opens={`Change the role of ${user}`}
            explains="The keys of the member have the scopes of the new role at once."
            label="Change"
            method="PUT"
            route={routeOf('/api/v1/teams/{team_id}/members/{member_id}', member)}
            bodyOf={(form) => ({ role: textIn(form, 'role') })}
          >
            <Role />
          </WriteDialog>
          <WriteDialog
            opens={`Remove ${user}`}
            explains="The keys of the member for this team end at once."
            label="Remove"
            method="DELETE"
            route={routeOf('/api/v1/teams/{team_id}/members/{member_id}', member)}
          />
        </>
      );
    },
  },
];

const invitationsOf = (team: string): readonly Column<Invitation>[] => [
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Ends, UTC', cell: (invitation) => instant(invitation.expires_at) },
  {
    name: 'End it',
    cell: ({ invitation_id: id, role }) => (
      <WriteDialog
        opens={`Withdraw the invitation of a ${role}`}
        explains="Its token is not accepted any more."
        label="Withdraw"
        method="DELETE"
        route={routeOf('/api/v1/teams/{team_id}/invitations/{invitation_id}', {
          team_id: team,
          invitation_id: id,
        })}
      />
    ),
  },
];

const keysOf = (team: string): readonly Column<Key>[] => [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Id', cell: ({ id }) => <code>{id}</code> },
  { name: 'User', isNumber: true, cell: (key) => key.user_id },
  { name: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
  {
    name: 'End it',
    cell: ({ id, name }) => (
      <WriteDialog
        opens={`Revoke ${name}`}
        explains="The key becomes invalid at once. Its requests that run are answered."
        label="Revoke"
        method="DELETE"
        route={routeOf('/api/v1/teams/{team_id}/keys/{key_id}', { team_id: team, key_id: id })}
      />
    ),
  },
];

const Issue = ({ team }: OfTeam) => (
  <WriteDialog
    opens="Issue a key of the team"
    explains="For a member: the team pays for its requests. The key is shown once."
    label="Issue"
    route={routeOf('/api/v1/teams/{team_id}/keys', { team_id: team })}
    bodyOf={(form) => ({ name: textIn(form, 'name') })}
    done={({ api_key: key }) => <pre tabIndex={0}>{key}</pre>}
  >
    <label>
      Name
      <input name="name" required maxLength={64} />
    </label>
  </WriteDialog>
);

const TeamPage = ({ parameters: { team_id: team = '' } }: PageProps) => {
  const state = usePageRead(() => routeOf('/api/v1/teams/{team_id}', { team_id: team }));
  const keys = useRead(() => routeOf('/api/v1/teams/{team_id}/keys', { team_id: team }));
  return (
    <>
      <h1>Team</h1>
      <OfNow />
      <Answered state={state}>
        {({ team: found }) => (
          <>
            <h2>{found.name}</h2>
            <Facts facts={factsOf(found)} />
            <Money team={team} />
            <Close team={team} />
            <h2>Members</h2>
            {found.closed_at === null && <Invite team={team} />}
            <Table
              label="Members"
              columns={membersOf(team)}
              rows={found.members}
              keyOf={({ member_id: id }) => id}
            />
            <h2>Open invitations</h2>
            {found.invitations.length === 0 ? (
              <p>No invitation is open.</p>
            ) : (
              <Table
                label="Invitations"
                columns={invitationsOf(team)}
                rows={found.invitations}
                keyOf={({ invitation_id: id }) => id}
              />
            )}
          </>
        )}
      </Answered>
      <h2>Keys</h2>
      <Answered state={keys}>
        {(found) => (
          <>
            <Issue team={team} />
            {found.keys.length === 0 ? (
              <p>The team has no key that you may see.</p>
            ) : (
              <Table
                label="Keys of the team"
                columns={keysOf(team)}
                rows={found.keys}
                keyOf={({ id }) => id}
              />
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default TeamPage;
