import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { addressOf, asOf } from '../shell/location.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';

type FoundRoom = AnswerOf<'/api/v1/cleanrooms/{cleanroom_uuid}'>;
type RoomColumn = FoundRoom['cleanroom']['columns'][number];
type Participant = FoundRoom['cleanroom']['participants'][number];
type Contribution = FoundRoom['cleanroom']['contributions'][number];

const factsOf = ({ cleanroom: room }: FoundRoom): readonly Fact[] => [
  ['Enclave', `${room.tee_type}, ${room.attestation_status}`],
  ['Epsilon in all', room.privacy_budget_total_epsilon],
  ['Spent', room.privacy_budget_spent_epsilon],
  ['Reserved by running queries', room.privacy_budget_reserved_epsilon],
  ['Remaining', room.privacy_budget_remaining_epsilon],
  ['Delta in all', room.privacy_budget_total_delta],
  ['Composition', room.composition_rule],
  ['Contributors', `${room.contributor_count}, at least ${room.contributors_min}`],
  ['Created, UTC', instant(room.created_at)],
];

const rangeOf = ({ values, minimum, maximum }: RoomColumn): string =>
  values === undefined ? `${minimum ?? '–'} to ${maximum ?? '–'}` : values.join(', ');

const COLUMNS: readonly Column<RoomColumn>[] = [
  { name: 'Column', cell: ({ name }) => name },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'Values', cell: rangeOf },
];

const PARTICIPANTS: readonly Column<Participant>[] = [
  { name: 'Account', cell: (participant) => participant.account_id },
  { name: 'Role', cell: ({ role }) => role },
];

const CONTRIBUTIONS: readonly Column<Contribution>[] = [
  { name: 'Accepted, UTC', cell: (contribution) => instant(contribution.accepted_at) },
  { name: 'Rows', isNumber: true, cell: ({ rows }) => count(rows) },
  { name: 'Id', cell: (contribution) => <code>{contribution.contribution_id}</code> },
];

const CleanroomPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() =>
    routeOf('/api/v1/cleanrooms/{cleanroom_uuid}', { cleanroom_uuid: id, asOf: asOf.value }),
  );
  return (
    <>
      <h1>Clean room</h1>
      <Answered state={state}>
        {(found) => (
          <>
            <h2>{found.cleanroom.name}</h2>
            <Facts facts={factsOf(found)} />
            <p>
              <a data-page href={addressOf(`/cleanrooms/${id}/spends`)}>
                The ledger of epsilon
              </a>
            </p>
            <h2>Participants</h2>
            <Table
              label="Participants"
              columns={PARTICIPANTS}
              rows={found.cleanroom.participants}
              keyOf={(one) => `${one.account_id} ${one.role}`}
            />
            <h2>Schema</h2>
            <Table
              label="Schema"
              columns={COLUMNS}
              rows={found.cleanroom.columns}
              keyOf={({ name }) => name}
            />
            <h2>Contributions</h2>
            <Table
              label="Contributions"
              columns={CONTRIBUTIONS}
              rows={found.cleanroom.contributions}
              keyOf={(one) => one.contribution_id}
            />
          </>
        )}
      </Answered>
    </>
  );
};

export default CleanroomPage;
