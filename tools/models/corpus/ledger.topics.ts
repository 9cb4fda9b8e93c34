import type { Topic } from './topic.js';

/** Events, projections, balances and the life of a charge. */
export const LEDGER_TOPICS: readonly Topic[] = [
  {
    id: 'event',
    what: ['an event', 'events', 'domain events', 'a domain event', 'the events'],
    ask: [
      'What does an event contain?',
      'Can an event be changed?',
      'Can I delete an event?',
      'Why are there events?',
      'What is recorded as an event?',
      'Are events immutable?',
    ],
    answer: [
      [
        'An event is a fact in the past tense that is appended to the log and never changed.',
        'An event records one fact that has happened, and it is never changed afterwards.',
      ],
      [
        'It carries what the decision was made with, such as prices and the resulting balance.',
        'It holds everything the decision used, for example the unit prices.',
      ],
    ],
  },
  {
    id: 'event-sourcing',
    what: ['event sourcing', 'the source of truth', 'the event log', 'the log'],
    ask: [
      'Where is the truth in Quipu?',
      'Why does Quipu use event sourcing?',
      'Is Quipu event sourced?',
      'How is state stored?',
      'What is the benefit of event sourcing?',
    ],
    answer: [
      [
        'In Quipu the log of events is the truth.',
        'Event sourcing means that the log of events is the only truth.',
      ],
      [
        'Every state is a fold of its events, so it can be rebuilt and checked at any time.',
        'All state is derived from it by folding, so anything can be recomputed and audited.',
      ],
    ],
  },
  {
    id: 'event-store',
    what: ['the event store', 'events.db', 'the event store port'],
    ask: [
      'Where are events stored?',
      'Which database holds the events?',
      'What stores the events?',
      'How are events written to disk?',
    ],
    answer: [
      [
        'The event store keeps the events in append-only streams.',
        'Events are stored in append-only streams by the event store.',
      ],
      [
        'By default it is an SQLite file called events.db, and EventStoreDB is the adapter for production.',
        'The embedded default is SQLite, and in production it can be EventStoreDB.',
      ],
    ],
  },
  {
    id: 'eventstoredb',
    what: ['EventStoreDB', 'KurrentDB', 'QUIPU_EVENT_STORE'],
    how: ['use EventStoreDB', 'connect EventStoreDB', 'change the event store'],
    ask: [
      'Does Quipu support EventStoreDB?',
      'Can Quipu use KurrentDB?',
      'Which variable selects the event store?',
    ],
    answer: [
      [
        'EventStoreDB is the production event store of Quipu.',
        'Quipu can keep its events in EventStoreDB.',
      ],
      [
        'Set QUIPU_EVENT_STORE to an esdb:// address to use it.',
        'You choose it by setting QUIPU_EVENT_STORE to an esdb:// connection string.',
      ],
    ],
  },
  {
    id: 'sqlite',
    what: [
      'SQLite',
      'the embedded default',
      'the embedded database',
      'group commit',
      'the writer thread',
    ],
    ask: [
      'Why SQLite?',
      'Which database does Quipu use by default?',
      'Is SQLite safe enough?',
      'What is used when I configure nothing?',
      'What is embedded?',
    ],
    answer: [
      [
        'By default everything is embedded and stored in SQLite.',
        'SQLite is the embedded default, so nothing has to be installed.',
      ],
      [
        'It runs in WAL mode with full synchronisation, and one writer thread commits appends in groups.',
        'A single writer thread commits groups of appends with full synchronisation.',
      ],
    ],
  },
  {
    id: 'stream-store',
    what: [
      'an event stream',
      'the expected revision',
      'a stream of events',
      'optimistic concurrency',
    ],
    ask: [
      'How are conflicts detected?',
      'What happens when two commands clash?',
      'Why does an append carry a revision?',
      'How does Quipu handle concurrency?',
    ],
    answer: [
      [
        'Each append names the revision of the stream it has read.',
        'A command appends at the revision it has read from the stream.',
      ],
      [
        'If another writer was faster, the command reads again and retries a bounded number of times.',
        'On a clash it reads the stream again and retries, but only a bounded number of times.',
      ],
    ],
  },
  {
    id: 'mongodb',
    what: ['MongoDB', 'QUIPU_READ_STORE', 'the read store', 'views.db'],
    how: ['use MongoDB', 'connect MongoDB', 'change the read store'],
    ask: [
      'Does Quipu support MongoDB?',
      'Where are the read models stored?',
      'Which variable selects the read store?',
    ],
    answer: [
      [
        'The read store keeps the documents that queries answer from.',
        'Read models are kept in the read store.',
      ],
      [
        'It is SQLite by default and MongoDB when QUIPU_READ_STORE is set to a mongodb:// address.',
        'The default is SQLite, and QUIPU_READ_STORE with a mongodb:// address selects MongoDB.',
      ],
    ],
  },
  {
    id: 'kafka',
    what: ['Kafka', 'the bus', 'QUIPU_BUS', 'the message bus'],
    how: ['use Kafka', 'connect Kafka', 'change the bus'],
    ask: [
      'Does Quipu support Kafka?',
      'What carries tasks to the workers?',
      'Which variable selects the bus?',
      'How do messages travel?',
    ],
    answer: [
      [
        'The bus carries tasks and messages between the parts of Quipu.',
        'Tasks travel on the bus.',
      ],
      [
        'It runs in memory by default, and QUIPU_BUS with a kafka:// address selects Kafka.',
        'The default is in-process, and you select Kafka by setting QUIPU_BUS to a kafka:// address.',
      ],
    ],
  },
  {
    id: 'adapter',
    what: ['an adapter', 'adapters', 'a port', 'the three ports', 'a contract suite'],
    ask: [
      'Which adapters are there?',
      'Which engines can I plug in?',
      'How are adapters tested?',
      'Which backends does Quipu support?',
      'Which databases does Quipu support?',
    ],
    answer: [
      [
        'Quipu has three ports: the event store, the read store and the bus.',
        'There are three ports, namely event store, read store and bus.',
      ],
      [
        'Each has an embedded adapter and a production one: EventStoreDB, MongoDB and Kafka.',
        'Their production adapters are EventStoreDB, MongoDB and Kafka, and one contract suite tests them all.',
      ],
    ],
  },
  {
    id: 'projection',
    what: [
      'a projection',
      'projections',
      'a read model',
      'read models',
      'the checkpoint of a projection',
    ],
    ask: [
      'How are queries answered?',
      'Where do queries read from?',
      'What happens when a projection fails?',
      'Can a projection skip an event?',
    ],
    answer: [
      [
        'A projection is a pure function that folds events into a document for queries.',
        'A projection folds events into documents that queries can read.',
      ],
      [
        'Document and position are saved in one write, and a projection that fails stops and shows itself.',
        'It saves its document and its position together, and it never skips an event in silence.',
      ],
    ],
  },
  {
    id: 'rebuild',
    what: ['a rebuild', 'a replay', 'rebuilding a projection'],
    how: [
      'rebuild a projection',
      'replay the events',
      'rebuild the read models',
      'see the status of the projections',
    ],
    ask: [
      'What happens when a projection changes?',
      'Can I delete the read models?',
      'Which command rebuilds a projection?',
    ],
    answer: [
      [
        'Run npm run quipu -- projections rebuild to build a projection again from zero.',
        'The command npm run quipu -- projections rebuild replays the events from zero.',
      ],
      [
        'The new version grows next to the old one and then takes its place.',
        'It is built beside the old version, and then Quipu switches over.',
      ],
    ],
  },
  {
    id: 'saga',
    what: ['a saga', 'sagas', 'the saga host', 'a process manager'],
    ask: [
      'What do sagas do?',
      'Who decides what happens next?',
      'How is long work driven?',
      'Why are there sagas?',
    ],
    answer: [
      [
        'A saga is a pure function that reads the log and decides which command comes next.',
        'A saga reacts to events with commands, and the reaction is a pure function.',
      ],
      [
        'Its host keeps a checkpoint and uses deterministic command ids, so a repeat does no harm.',
        'The host remembers its checkpoint and derives command ids, so nothing is done twice.',
      ],
    ],
  },
  {
    id: 'decider',
    what: ['a decider', 'deciders', 'a command', 'the decide function', 'the evolve function'],
    ask: [
      'How are decisions made?',
      'Where do the business rules live?',
      'How does a command become an event?',
      'What is the difference between decide and evolve?',
    ],
    answer: [
      [
        'A decider is three values: an initial state, a decide function and an evolve function.',
        'A decider has an initial state, decides on commands and evolves with events.',
      ],
      [
        'It is pure, so time, ids and prices arrive in the command.',
        'It does no input or output, and time and prices come with the command.',
      ],
    ],
  },
  {
    id: 'cqrs',
    what: ['CQRS', 'the command bus', 'the way of a request', 'a handler'],
    ask: [
      'What happens when a request arrives?',
      'How is a request processed?',
      'Which path does a request take?',
      'Does Quipu use CQRS?',
    ],
    answer: [
      [
        'A controller turns the request into a command for the command bus.',
        'The HTTP controller makes a command and dispatches it on the command bus.',
      ],
      [
        'A thin handler loads the stream, asks the decider and appends the new events.',
        'Its handler folds the stream, calls the decider and appends the events.',
      ],
      ['Queries are answered from projections.', 'Projections then answer the queries.'],
    ],
  },
  {
    id: 'upcaster',
    what: ['an upcaster', 'upcasters', 'event versions', 'a golden file'],
    ask: [
      'What happens when an event changes its shape?',
      'How are old events read?',
      'How are events versioned?',
      'Can old events still be read?',
    ],
    answer: [
      [
        'Every event has a version, and an upcaster lifts an old one by one version.',
        'Upcasters lift old events to the newest version, one step at a time.',
      ],
      [
        'Golden files prove that every version ever written can still be read.',
        'A golden file for every version proves that it can still be read.',
      ],
    ],
  },
  {
    id: 'audit',
    what: ['an audit', 'auditing', 'auditability', 'the transparency of Quipu'],
    how: ['audit Quipu', 'audit a bill', 'verify my bill', 'recompute my bill', 'check an invoice'],
    ask: [
      'Why is Quipu auditable?',
      'How does an auditor check a bill?',
      'Can I check what I paid?',
      'What does an auditor see?',
      'What makes a bill trustworthy?',
    ],
    answer: [
      [
        'Every charge is an event that names its rate card, unit prices and tokens.',
        'Each charge event carries the rate card, the prices and the token counts.',
      ],
      [
        'An auditor can fold the events again and must reach the same balance.',
        'So you can recompute a bill from the events and compare.',
      ],
    ],
  },
  {
    id: 'balance',
    what: ['a balance', 'the balance', 'my balance', 'balances'],
    ask: [
      'How is the balance computed?',
      'Why is a balance a fold?',
      'Where does my balance come from?',
      'Is the balance a stored number?',
      'How do balances work?',
      'Can a balance be wrong?',
    ],
    answer: [
      [
        'A balance is the fold of the events of an account.',
        'Every balance is folded from the events of its account.',
      ],
      [
        'What is available equals deposits minus charges minus holds.',
        'Deposits minus charges minus holds gives what is available.',
      ],
    ],
  },
  {
    id: 'see-balance',
    what: ['the balance overview', 'overview.php', 'the burn rate', 'the runway'],
    how: [
      'see my balance',
      'check my balance',
      'find out how much money is left',
      'read my burn rate',
      'see my credit',
    ],
    ask: [
      'How much credit do I have?',
      'What is my balance?',
      'How much money have I left?',
      'Which endpoint shows the balance?',
      'How long will my credit last?',
    ],
    answer: [
      [
        'Call GET /api/v1/billing/overview.php with your API key.',
        'Send your API key to /api/v1/billing/overview.php.',
      ],
      [
        'It shows your balance, the burn rate of the last 24 hours and the runway.',
        'The answer holds the balance, the burn rate and how long the credit will last.',
      ],
    ],
  },
  {
    id: 'invoices',
    what: ['invoices', 'invoices.php', 'usage statements', 'the invoice list'],
    how: ['see my invoices', 'list invoices', 'get a usage statement'],
    ask: [
      'Where are my invoices?',
      'Which endpoint lists invoices?',
      'Where do I see my deposits?',
      'Are invoices paginated?',
    ],
    answer: [
      [
        'Call GET /api/v1/billing/invoices.php with page and limit.',
        'Invoices are listed by /api/v1/billing/invoices.php, page by page.',
      ],
      [
        'The list shows deposits and monthly usage statements.',
        'You find your deposits and the monthly usage statements there.',
      ],
    ],
  },
  {
    id: 'hold',
    what: ['a hold', 'holds', 'the hold', 'holding money', 'a reservation'],
    ask: [
      'Why is money held?',
      'When is a hold placed?',
      'How much is held?',
      'Why is a hold needed?',
      'What happens to a hold?',
      'How long does a hold last?',
      'What is the life of a hold?',
      'What are the states of a hold?',
    ],
    answer: [
      [
        'A hold reserves the worst-case price of a request before any work begins.',
        'Before any work a request places a hold for its worst-case price.',
      ],
      [
        'It ends in exactly one way: captured, released or expired.',
        'Exactly one event ends it, and it is then captured, released or expired.',
      ],
    ],
  },
  {
    id: 'capture',
    what: ['a capture', 'capturing a hold', 'a captured hold', 'a charge'],
    ask: [
      'When is a hold captured?',
      'When am I charged?',
      'How is a charge made?',
      'When does the money leave my account?',
      'How do you charge for a request?',
      'Can a hold be captured twice?',
    ],
    answer: [
      [
        'A hold is captured when the work is done, in part or as a whole.',
        'When the answer is complete, the hold is captured for what was really used.',
      ],
      [
        'The rest goes back to the balance, and no hold can be captured twice.',
        'What was not used returns to your balance, and a second capture is refused.',
      ],
    ],
  },
  {
    id: 'release',
    what: ['a release', 'a released hold', 'releasing a hold'],
    ask: [
      'When is a hold released?',
      'What happens to the money when a request fails?',
      'Do I pay for errors?',
      'Do I pay when the upstream fails?',
      'Is a failed request free?',
      'Am I charged for an error?',
    ],
    answer: [
      [
        'A hold is released when a request fails without output.',
        'When there is an error and no output, the hold is released.',
      ],
      [
        'The whole amount returns to the balance, so such a request is free.',
        'Then you pay nothing and the full amount returns to your balance.',
      ],
    ],
  },
  {
    id: 'expire',
    what: ['an expired hold', 'the deadline of a hold', 'the orphan sweep', 'an orphan'],
    ask: [
      'When does a hold expire?',
      'What happens to forgotten holds?',
      'What closes the holds that a crash left open?',
      'Can a hold stay open for ever?',
    ],
    answer: [
      [
        'Every hold has a deadline, and after it the hold expires.',
        'A hold that nobody settles expires at its deadline.',
      ],
      [
        'A sweep at start and on a timer closes what a crash left open.',
        'The orphan sweep closes such holds at start and on a timer.',
      ],
    ],
  },
  {
    id: 'rate-card',
    what: ['a rate card', 'rate cards', 'the price list', 'prices', 'a tariff'],
    how: ['change a price', 'set prices', 'publish a rate card'],
    ask: [
      'What does a token cost?',
      'How much does a request cost?',
      'How are prices set?',
      'Where are prices defined?',
      'Which price applies to my request?',
      'What happens when a price changes?',
      'How expensive is a model?',
    ],
    answer: [
      [
        'A rate card lists the prices of a model per million input and output tokens.',
        'Prices per million tokens stand in rate cards, one for input and one for output.',
      ],
      [
        'It is an event with a version and a date, and every charge names the card it used.',
        'A new price publishes a new version, and each charge names the version it used.',
      ],
    ],
  },
  {
    id: 'rates-endpoint',
    what: ['rates.php', 'the rates endpoint', 'the rate catalog'],
    how: ['see the rates', 'look up the price of a model', 'list all prices'],
    ask: [
      'Which endpoint shows the prices?',
      'Are the rates public?',
      'Do I need a key to see the rates?',
    ],
    answer: [
      [
        'Call GET /api/v1/billing/rates.php to see the rates.',
        'The rates are at /api/v1/billing/rates.php.',
      ],
      ['They are public, so no key is needed.', 'You need no key, because rates are public.'],
    ],
  },
  {
    id: 'money',
    what: ['micro-dollars', 'the money type', 'rounding', 'how money is stored'],
    ask: [
      'Does Quipu use floating point for money?',
      'In which unit is money kept?',
      'How is money represented?',
      'Why are amounts integers?',
      'Which currency does Quipu use?',
    ],
    answer: [
      [
        'Money is kept in whole micro-dollars, never in floating point.',
        'Quipu counts money in integer micro-dollars.',
      ],
      [
        'In events the amounts are decimal strings, and every rounding is named.',
        'A micro-dollar is a millionth of a dollar, so small charges stay exact.',
      ],
    ],
  },
  {
    id: 'insufficient',
    what: ['insufficient_balance', 'the code 402', 'status 402', 'error 402'],
    ask: [
      'Why do I get 402?',
      'What happens when my balance is empty?',
      'What happens when my credit runs out?',
      'What if I have no money left?',
      'My request was refused with insufficient_balance, why?',
      'Can my balance become negative?',
      'I got an error about my balance.',
    ],
    answer: [
      [
        'When the balance cannot cover the hold, the request is refused with 402 and the code insufficient_balance.',
        'Status 402 with the code insufficient_balance means that your balance does not cover the hold.',
      ],
      [
        'Add credit or ask for fewer tokens with max_tokens.',
        'Top up the account or lower max_tokens.',
      ],
    ],
  },
  {
    id: 'credit',
    what: ['credit', 'a deposit', 'account credit'],
    how: [
      'add credit',
      'top up my account',
      'add money',
      'credit an account',
      'give a user credit',
      'pay',
    ],
    ask: [
      'Which command adds credit?',
      'How does an admin give credit?',
      'Where do I get more credit?',
    ],
    answer: [
      [
        'An admin runs npm run quipu -- account credit --user U --usd N --reason R.',
        'Use npm run quipu -- account credit with a user, an amount in USD and a reason.',
      ],
      [
        'The credit is an event, and the balance grows at once.',
        'That appends an event, so the balance shows it at once.',
      ],
    ],
  },
  {
    id: 'ledger-check',
    what: ['the ledger check', 'conservation', 'quipu ledger check'],
    how: [
      'check the ledger',
      'prove that the books balance',
      'verify the ledger',
      'check the books',
    ],
    ask: [
      'Which command checks the ledger?',
      'Do the books balance?',
      'What does conservation mean?',
      'How can I be sure that no money is lost?',
    ],
    answer: [
      [
        'Run npm run quipu -- ledger check to prove that the books balance.',
        'The command npm run quipu -- ledger check proves conservation.',
      ],
      [
        'It shows that deposits minus charges minus holds equal what is available.',
        'It verifies that deposits minus charges minus holds equal the available money.',
      ],
    ],
  },
  {
    id: 'admission',
    what: ['admission', 'exact admission', 'concurrent admission', 'double spending'],
    ask: [
      'Can two requests spend the same money?',
      'What happens with many requests at once?',
      'Can I overspend?',
      'How is double spending prevented?',
      'How many requests are admitted?',
    ],
    answer: [
      [
        'Admission is exact: with money for K requests, exactly K of them are admitted.',
        'If the balance is enough for K requests, exactly K are admitted, however many come at once.',
      ],
      [
        'The stream of the account and its revision decide, not a counter.',
        'The expected revision of the account stream decides that.',
      ],
    ],
  },
  {
    id: 'privacy',
    what: ['privacy', 'the privacy of prompts', 'personal data', 'data protection'],
    ask: [
      'Do you store my prompts?',
      'Are prompts stored?',
      'Is my data private?',
      'What happens with my conversation?',
      'Are replies kept in events?',
      'Who can read my messages?',
      'Does Quipu log my prompts?',
    ],
    answer: [
      [
        'No prompt and no reply ever stands in an event.',
        'Prompts and replies are never stored in events.',
      ],
      [
        'Personal data in events is encrypted with a key for each subject.',
        'Events hold only keyed hashes, and personal data is encrypted per subject.',
      ],
    ],
  },
  {
    id: 'erase',
    what: ['erasure', 'the right to be forgotten', 'user erase'],
    how: [
      'erase a user',
      'delete a user',
      'delete my account',
      'forget a person',
      'delete personal data',
    ],
    ask: [
      'What happens when a user is erased?',
      'How can data be erased from an immutable log?',
      'Which command erases a user?',
    ],
    answer: [
      [
        'Run npm run quipu -- user erase to erase a user.',
        'The command npm run quipu -- user erase erases a person.',
      ],
      [
        'It destroys the key of that subject, so the data cannot be read while the ledger still balances.',
        'Their encryption key is destroyed, and the ledgers still balance.',
      ],
    ],
  },
];
