import { Answered, usePageRead } from '../shell/answer.js';
import { count, instant } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { type Column, Table } from '../shell/table.js';
import { Gantt } from './gantt.js';

type Contact = AnswerOf<'/api/v1/dtn/plan'>['contacts'][number];

const COLUMNS: readonly Column<Contact>[] = [
  { name: 'From', cell: ({ from }) => from },
  { name: 'To', cell: ({ to }) => to },
  { name: 'Kind', cell: ({ kind }) => kind },
  { name: 'Begins, UTC', cell: (contact) => instant(contact.starts_at) },
  { name: 'Ends, UTC', cell: (contact) => instant(contact.ends_at) },
  { name: 'Bits per second', isNumber: true, cell: (contact) => count(contact.bits_per_second) },
];

const ContactsPage = () => {
  const state = usePageRead(() => routeOf('/api/v1/dtn/plan'));
  return (
    <>
      <h1>Contact plan</h1>
      <OfNow />
      <Answered state={state}>
        {({ contacts, total_contacts: total, gaps }) => (
          <>
            {contacts.length === 0 ? (
              <p>
                No contact is planned. <code>POST /api/v1/dtn/links</code> plans the passes of a
                satellite, <code>POST /api/v1/dtn/contacts</code> a single contact.
              </p>
            ) : (
              <>
                <p>
                  {contacts.length} of {total} contacts
                </p>
                <Gantt
                  label="Contacts over time"
                  intervals={contacts.map((one) => ({
                    row: `${one.from} → ${one.to}`,
                    startsAt: one.starts_at,
                    endsAt: one.ends_at,
                  }))}
                />
                <Table
                  label="Contacts"
                  columns={COLUMNS}
                  rows={contacts}
                  keyOf={(one) => `${one.contact} ${one.starts_at}`}
                />
              </>
            )}
            <ul class="failure">
              {gaps.map(({ link_id: link, reason }) => (
                <li key={link}>
                  Link {link}: {reason}
                </li>
              ))}
            </ul>
          </>
        )}
      </Answered>
    </>
  );
};

export default ContactsPage;
