import { PlanStateQuery } from '#areas/dtn/dtn.queries.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { inColumns } from '../table.js';
import { DTN_NEEDS } from './dtn.needs.js';

const NEEDS = { ...DTN_NEEDS, projections: [] };

/** Passes are computed by a server: `GET /api/v1/dtn/plan` has them. */
export const showPlan = async (_: CommonOptions, invocation: Invocation): Promise<Outcome> => {
  const { links, contacts } = await withQuipu(invocation, NEEDS, ({ queries }) =>
    queries.execute(new PlanStateQuery()),
  );
  const rows = [
    ...links
      .valueSeq()
      .map((link) => [
        `link-${link.linkId}`,
        link.stationNode,
        link.satelliteNode,
        `station ${link.stationId}, satellite ${link.satelliteId}`,
      ]),
    ...contacts
      .valueSeq()
      .map((one) => [
        `contact-${one.contactId}`,
        one.from,
        one.to,
        `${one.startsAt} to ${one.endsAt}`,
      ]),
  ];
  return {
    json: { links: links.valueSeq().toArray(), contacts: contacts.valueSeq().toArray() },
    text:
      rows.length === 0
        ? 'There are no links and no contacts.'
        : inColumns([['NAME', 'FROM', 'TO', 'WHEN'], ...rows]),
  };
};
