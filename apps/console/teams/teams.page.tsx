import { Answered, usePageRead } from '../shell/answer.js';
import { orDash } from '../shell/facts.js';
import { instant, usd } from '../shell/figures.js';
import { type Filter, filtered, Filters } from '../shell/filters.js';
import { OfNow } from '../shell/list.js';
import { addressOf } from '../shell/location.js';
import { type AnswerOf, type QueryOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { textIn, WriteDialog } from '../shell/write-form.js';

type Team = AnswerOf<'/api/v1/teams'>['below'][number];

const FILTERS: readonly Filter<QueryOf<'/api/v1/teams'>>[] = [
  { name: 'closed', field: 'include_closed', label: 'With closed teams', choices: ['true'] },
];

const Create = () => (
  <WriteDialog
    opens="Create a team"
    explains="A sub-account of your account, with no money. You are its first owner."
    label="Create"
    route={routeOf('/api/v1/teams')}
    bodyOf={(form) => ({ name: textIn(form, 'name') })}
  >
    <label>
      Name
      <input name="name" required maxLength={100} />
    </label>
  </WriteDialog>
);

const Accept = () => (
  <WriteDialog
    opens="Accept an invitation"
    explains="You become a member of the team that invites you."
    label="Accept"
    route={routeOf('/api/v1/teams/invitations/accept')}
    bodyOf={(form) => ({ token: textIn(form, 'token') })}
  >
    <label>
      Token
      <input name="token" required maxLength={256} autocomplete="off" />
    </label>
  </WriteDialog>
);

const COLUMNS: readonly Column<Team>[] = [
  {
    name: 'Team',
    cell: ({ team_id: id, name }) => (
      <a data-page href={addressOf(`/teams/${id}`)}>
        {name}
      </a>
    ),
  },
  { name: 'Members', isNumber: true, cell: (team) => team.member_count },
  { name: 'Funded', isNumber: true, cell: ({ funds }) => usd(funds.funded_usd) },
  { name: 'Charged', isNumber: true, cell: ({ funds }) => usd(funds.charged_usd) },
  { name: 'Held', isNumber: true, cell: ({ funds }) => usd(funds.held_usd) },
  { name: 'Available', isNumber: true, cell: ({ funds }) => usd(funds.available_usd) },
  { name: 'Created, UTC', cell: (team) => instant(team.created_at) },
  { name: 'Closed, UTC', cell: (team) => orDash(team.closed_at, instant) },
];

const Teams = ({ label, teams }: { readonly label: string; readonly teams: readonly Team[] }) => (
  <Table label={label} columns={COLUMNS} rows={teams} keyOf={({ team_id: id }) => id} />
);

const TeamsPage = () => {
  const state = usePageRead(() => routeOf('/api/v1/teams', filtered(FILTERS)));
  return (
    <>
      <h1>Teams</h1>
      <OfNow />
      <Create />
      <Accept />
      <Filters filters={FILTERS} />
      <Answered state={state}>
        {({ below, memberships }) => (
          <>
            <h2>Below your account</h2>
            {below.length === 0 ? (
              <p>No team is below your account. A team spends the allotment that you give it.</p>
            ) : (
              <Teams label="Teams below your account" teams={below} />
            )}
            <h2>Of which you are a member</h2>
            {memberships.length === 0 ? (
              <p>You are a member of no team. The owner of a team invites you with a token.</p>
            ) : (
              <Teams label="Teams of which you are a member" teams={memberships} />
            )}
          </>
        )}
      </Answered>
    </>
  );
};

export default TeamsPage;
