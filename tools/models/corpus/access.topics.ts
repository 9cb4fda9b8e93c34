import type { Topic } from './topic.js';

/** Accounts, keys, roles, and the inside of the house. */
export const ACCESS_TOPICS: readonly Topic[] = [
  {
    id: 'api-key',
    what: ['an API key', 'API keys', 'my API key', 'the key', 'a secret key', 'sk-svc keys'],
    how: ['use my API key', 'authenticate', 'send my key', 'log in to the API'],
    ask: [
      'Where do I put my API key?',
      'Which header carries the key?',
      'What does a key look like?',
      'How are API keys stored?',
      'How is the API protected?',
      'How does authentication work?',
    ],
    answer: [
      [
        'Send your API key as Authorization: Bearer or in the X-API-KEY header.',
        'An API key goes into the Authorization header as a bearer token, or into X-API-KEY.',
      ],
      [
        'Keys begin with sk-svc-, are shown once and are stored only as SHA-256 hashes.',
        'A key starts with sk-svc-, is shown only once, and Quipu keeps nothing but its SHA-256 hash.',
      ],
    ],
  },
  {
    id: 'get-key',
    what: ['a new API key', 'a lost key'],
    how: ['get an API key', 'create an API key', 'make a new key', 'get a key', 'find my key'],
    ask: [
      'Where do I get a key?',
      'I lost my API key.',
      'I have no API key.',
      'Can you show me my key again?',
      'Who gives me a key?',
    ],
    answer: [
      [
        'The first start prints a key for the account demo and keeps it in bootstrap.json.',
        'Your first key is printed at the first start and kept in bootstrap.json.',
      ],
      [
        'A key is shown only once, so rotate it if it is lost.',
        'A lost key cannot be shown again, but npm run quipu -- key rotate makes a new one.',
      ],
    ],
  },
  {
    id: 'rotate',
    what: ['key rotation', 'rotating keys', 'a leaked key'],
    how: ['rotate a key', 'change my API key', 'replace a key', 'revoke a key'],
    ask: [
      'My key was leaked, what should I do?',
      'Which command rotates a key?',
      'What happens to the old key?',
    ],
    answer: [
      [
        'Run npm run quipu -- key rotate to replace a key.',
        'Rotate it with npm run quipu -- key rotate.',
      ],
      [
        'The new key is shown once and the old one stops working.',
        'You see the new key once, and the old one is no longer accepted.',
      ],
    ],
  },
  {
    id: 'unauthorized',
    what: ['status 401', 'error 401', 'the code 401'],
    ask: [
      'Why do I get 401?',
      'My key does not work.',
      'Why is my request unauthorized?',
      'Why is my key rejected?',
      'I cannot log in.',
    ],
    answer: [
      [
        'Status 401 means that the key is missing, wrong or revoked.',
        'You get 401 when the key is missing, wrong or revoked.',
      ],
      [
        'Check the Authorization header, which must say Bearer and then the key.',
        'See that the Authorization header holds Bearer followed by your key.',
      ],
    ],
  },
  {
    id: 'login',
    what: ['the login', 'the login route', 'an access token', 'an app token', 'a session'],
    how: ['log in', 'get an access token', 'sign in', 'log in from an app'],
    ask: [
      'Which endpoint logs me in?',
      'How long does a session last?',
      'When does an access token expire?',
      'Does logging in give me a key?',
    ],
    answer: [
      [
        'Send a username and a password to POST /api/v1/auth/login.',
        'POST your username and password to /api/v1/auth/login.',
      ],
      [
        'You get an access token for 30 days and an API key of its own for the app.',
        'The reply has an access token that lasts 30 days, and an API key for that app.',
      ],
    ],
  },
  {
    id: 'revoke',
    what: ['the revocation of a session', 'the revoke route', 'logging out'],
    how: ['log out', 'end a session', 'revoke a token', 'sign out'],
    ask: ['When does a revoked token stop working?', 'Which endpoint ends a session?'],
    answer: [
      [
        'Call POST /api/v1/auth/revoke with your access token.',
        'POST to /api/v1/auth/revoke ends the session.',
      ],
      [
        'The revocation takes effect at once, in every process.',
        'It works at once and everywhere, and the key of that session ends too.',
      ],
    ],
  },
  {
    id: '2fa',
    what: [
      'two-factor authentication',
      '2FA',
      'TOTP',
      'the second factor',
      'recovery codes',
      'verify_2fa',
    ],
    how: [
      'enable 2FA',
      'turn on two-factor authentication',
      'log in with 2FA',
      'use an authenticator app',
    ],
    ask: [
      'Does Quipu support 2FA?',
      'What happens at login with 2FA?',
      'What is the temp_token for?',
      'I lost my phone, how do I log in?',
      'Is there two-factor login?',
    ],
    answer: [
      [
        'Quipu supports two-factor login with TOTP codes from an authenticator app.',
        'Two-factor authentication uses TOTP codes, and recovery codes help when the phone is lost.',
      ],
      [
        'The login then returns a temp_token, which you send with the otp_code to /api/v1/auth/verify_2fa.',
        'After the password you send the temp_token and the otp_code to /api/v1/auth/verify_2fa.',
      ],
    ],
  },
  {
    id: 'rate-limit',
    what: ['the login limit', 'status 429', 'error 429', 'Retry-After'],
    ask: [
      'Why do I get 429?',
      'How many times can I try a password?',
      'What happens after too many wrong passwords?',
      'I am locked out.',
      'Is there protection against guessing passwords?',
    ],
    answer: [
      [
        'After 5 failed attempts within 300 seconds a client gets 429.',
        'Five failed logins in 300 seconds from one address lead to status 429.',
      ],
      [
        'Wait for the time that Retry-After says, which is 300 seconds.',
        'The Retry-After header says to wait 300 seconds.',
      ],
    ],
  },
  {
    id: 'roles',
    what: ['roles', 'the roles', 'a renter', 'an admin', 'partners and investors'],
    ask: [
      'Which roles are there?',
      'What can an admin do?',
      'What is the difference between a renter and a partner?',
      'Who may see the partner area?',
    ],
    answer: [
      [
        'The roles are renter, Partner, Investor and Admin.',
        'There are four roles: renter, Partner, Investor and Admin.',
      ],
      [
        'The partner and investor areas need their own role or Admin.',
        'Partners and investors see their own areas, and an Admin sees both.',
      ],
    ],
  },
  {
    id: 'create-user',
    what: ['users', 'user accounts', 'a new user'],
    how: [
      'create a user',
      'add a user',
      'register an account',
      'make an account for a colleague',
      'sign up',
    ],
    ask: ['Which command creates a user?', 'How are users created?'],
    answer: [
      [
        'Run npm run quipu -- user create with --username, --email and --role.',
        'Use the command npm run quipu -- user create --username U --email E --role R.',
      ],
      [
        'Add --json if a program reads the answer.',
        'The option --json prints the result for programs.',
      ],
    ],
  },
  {
    id: 'password',
    what: [
      'password hashing',
      'argon2id',
      'how passwords are stored',
      'security',
      'the security of Quipu',
    ],
    ask: [
      'How are passwords stored?',
      'Is Quipu secure?',
      'Which hash is used for passwords?',
      'How does Quipu protect secrets?',
    ],
    answer: [
      [
        'Passwords are hashed with argon2id and keys with SHA-256.',
        'Quipu hashes passwords with argon2id and stores API keys only as SHA-256.',
      ],
      [
        'Comparisons take constant time, and an unknown user looks like a wrong password.',
        'A wrong password and an unknown user cannot be told apart.',
      ],
    ],
  },
  {
    id: 'tail',
    what: ['events tail', 'the tail of the log'],
    how: [
      'watch the events',
      'see the events',
      'read the log',
      'follow the log',
      'look at the events',
      'list the events',
    ],
    ask: ['Which command shows events?', 'Where can I see what happened?', 'Can I see the events?'],
    answer: [
      [
        'Run npm run quipu -- events tail to follow the log.',
        'The command npm run quipu -- events tail shows the events as they come.',
      ],
      [
        'Each line is one fact with its stream and position.',
        'Every line shows one event with its type and position.',
      ],
    ],
  },
  {
    id: 'house',
    what: [
      'the architecture of Quipu',
      'the layout of the repository',
      'the folders',
      'the apps folder',
    ],
    ask: [
      'How is the code organised?',
      'How is Quipu built inside?',
      'Which parts does Quipu have?',
      'What is in the libs folder?',
      'Where do I find the code of billing?',
      'How is the repository structured?',
    ],
    answer: [
      [
        'The apps folder holds the processes and libs holds the platform, the engines and the areas.',
        'Processes live in apps, and libs contains platform, engines and areas.',
      ],
      [
        'Events and projections have folders of their own, and arrows point inwards.',
        'Definitions of events and projections stand beside them, and dependencies point inwards.',
      ],
    ],
  },
  {
    id: 'area',
    what: ['an area', 'areas', 'the areas of the business'],
    how: [
      'add an area',
      'extend Quipu',
      'contribute',
      'write a new feature',
      'add a projection',
      'add an event',
    ],
    ask: [
      'Which areas are there?',
      'May one area import another?',
      'Where do I read how to contribute?',
    ],
    answer: [
      [
        'An area is one folder of the business, such as identity, billing, catalog or inference.',
        'Each area of the business, like billing or inference, has one folder.',
      ],
      [
        'An area never imports another, and CONTRIBUTING.md tells how to add one.',
        'Areas react to events of others, and CONTRIBUTING.md shows how to add one.',
      ],
    ],
  },
  {
    id: 'processes',
    what: [
      'the projector',
      'the worker',
      'the standalone process',
      'the processes of Quipu',
      'standalone mode',
    ],
    ask: [
      'Which processes does Quipu have?',
      'What does npm start run?',
      'What does the worker do?',
      'Can I run several processes?',
    ],
    answer: [
      [
        'There are a gateway, a worker and a projector.',
        'Quipu consists of a gateway, a worker and a projector.',
      ],
      [
        'The command npm start runs all three in one standalone process.',
        'With npm start they run together in one process.',
      ],
    ],
  },
  {
    id: 'engine',
    what: ['an engine', 'the engines', 'embedded engines', 'the language model engine'],
    ask: [
      'What computes the answers?',
      'Where do engines run?',
      'Which engines are there?',
      'Does a model block the gateway?',
    ],
    answer: [
      [
        'An engine computes, and it knows neither events nor HTTP.',
        'Engines do the computing, for example the language model.',
      ],
      [
        'Engines run in worker threads or processes, never on the event loop that answers HTTP.',
        'They run in worker threads or processes, so the gateway is never blocked.',
      ],
    ],
  },
  {
    id: 'honesty',
    what: ['null values', 'modelled numbers', 'the honesty rule'],
    ask: [
      'Why is a number null?',
      'Does Quipu invent numbers?',
      'Are the figures measured?',
      'Why does the answer say null?',
    ],
    answer: [
      [
        'A number that was not measured is null, never invented.',
        'Quipu answers null where nothing was measured.',
      ],
      ['A modelled number is labelled as modelled.', 'If a number comes from a model, it says so.'],
    ],
  },
];
