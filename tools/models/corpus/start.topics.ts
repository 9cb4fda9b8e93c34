import type { Topic } from './topic.js';

/** Starting, configuring and operating the gateway. */
export const START_TOPICS: readonly Topic[] = [
  {
    id: 'start',
    how: [
      'start Quipu',
      'start the gateway',
      'run Quipu',
      'run the gateway',
      'install Quipu',
      'set up Quipu',
      'launch the server',
      'get started',
      'begin with Quipu',
      'start the server',
    ],
    ask: [
      'How is Quipu installed?',
      'What is the quick start?',
      'Which commands start Quipu?',
      'What must I type to run this?',
      'Where do I begin?',
      'What are the first steps?',
    ],
    answer: [
      ['Type npm ci and then npm start.', 'Run npm ci && npm start in the repository.'],
      [
        'The gateway listens on 127.0.0.1:8080 and prints a key and a ready curl command on its first start.',
        'It listens on port 8080 and prints an API key and a curl command the first time.',
      ],
    ],
  },
  {
    id: 'requirements',
    what: ['the requirements of Quipu', 'the dependencies of Quipu'],
    ask: [
      'What do I need to run Quipu?',
      'What does Quipu require?',
      'Do I need a GPU?',
      'Which version of Node do I need?',
      'Do I need Docker?',
      'Do I need a database?',
      'Must I install Kafka?',
      'Does Quipu need MongoDB?',
      'Which software must be installed first?',
      'Can it run without a GPU?',
      'Does it work on a laptop?',
    ],
    answer: [
      [
        'You need Node 20 or newer and npm, and nothing else.',
        'Only Node 20 or newer with npm is needed.',
      ],
      [
        'Everything else is embedded by default, so there is no database to install and no GPU is required.',
        'The event store, the read store and the bus are embedded, and a CPU is enough.',
      ],
    ],
  },
  {
    id: 'node',
    what: ['the Node version', 'Node 24'],
    ask: [
      'Which Node runs Quipu?',
      'Why is Node a package?',
      'Does Quipu pin Node?',
      'My Node is old, does that matter?',
      'Which runtime does Quipu use?',
    ],
    answer: [
      [
        'Quipu runs on Node 24, which comes as an npm package.',
        'Node 24 is pinned as an npm package.',
      ],
      [
        'Its binary arrives with npm ci, so a machine with an older Node works too.',
        'So npm ci brings the right binary, even on a machine with Node 20.',
      ],
    ],
  },
  {
    id: 'first-start',
    what: ['the first start', 'the demo account', 'bootstrap.json', 'the opening credit'],
    ask: [
      'What happens on the first start?',
      'Where do I find my first API key?',
      'Where is my password?',
      'Which account exists at first?',
      'How much credit do I get?',
      'Where is the key of the demo account?',
      'What happens when the log is empty?',
      'Is there a demo user?',
    ],
    answer: [
      [
        'On its first start Quipu creates the account demo with 10 USD of opening credit.',
        'The first start makes an account called demo, an Admin with 10 USD of opening credit.',
      ],
      [
        'It prints the key once and writes bootstrap.json into the QUIPU_HOME folder.',
        'The key is printed once and is also kept in bootstrap.json under QUIPU_HOME.',
      ],
    ],
  },
  {
    id: 'port',
    what: ['the port', 'HOST and PORT', 'the address of the gateway'],
    how: ['change the port', 'use another port', 'listen on all interfaces'],
    ask: [
      'Which port does Quipu use?',
      'On which port does the gateway listen?',
      'Where does the server listen?',
      'What is the URL of the gateway?',
      'What is the base URL?',
      'Port 8080 is taken, what now?',
    ],
    answer: [
      [
        'The gateway listens on 127.0.0.1, port 8080.',
        'By default it listens at http://127.0.0.1:8080.',
      ],
      ['Set HOST and PORT to change that.', 'The variables HOST and PORT change the address.'],
    ],
  },
  {
    id: 'home',
    what: ['QUIPU_HOME', 'the data folder', 'the home directory of Quipu'],
    how: ['move the data', 'change the data folder'],
    ask: [
      'Where does Quipu keep its data?',
      'Where is the data stored?',
      'Where are the files?',
      'Which folder holds the database?',
      'Where are my events on disk?',
      'In which directory does it store things?',
    ],
    answer: [
      [
        'Quipu keeps its data in the folder named by QUIPU_HOME, which is .quipu by default.',
        'All data lie in QUIPU_HOME, by default the folder .quipu.',
      ],
      [
        'There you find events.db for the log and views.db for the read models.',
        'It holds the log in events.db and the read models in views.db.',
      ],
    ],
  },
  {
    id: 'settings',
    what: [
      'the configuration',
      'the settings of Quipu',
      'the environment variables',
      'a bad setting',
    ],
    how: ['configure Quipu', 'configure the gateway', 'change a setting', 'change the settings'],
    ask: [
      'Which environment variables are there?',
      'Where is the configuration?',
      'What happens if a setting is wrong?',
      'Which variables can I set?',
    ],
    answer: [
      [
        'Settings are environment variables such as HOST, PORT, QUIPU_HOME and QUIPU_CATALOG.',
        'You configure Quipu with variables like PORT, QUIPU_HOME, QUIPU_EVENT_STORE and QUIPU_CATALOG.',
      ],
      [
        'They are checked at start, and a bad one stops the start with a message that names it.',
        'A wrong value stops the start with a message that names the variable.',
      ],
    ],
  },
  {
    id: 'test',
    how: ['test Quipu', 'run the tests', 'check the code', 'verify the repository'],
    ask: [
      'How is Quipu tested?',
      'Which command runs the tests?',
      'Are there tests?',
      'What does npm run check do?',
    ],
    answer: [
      ['Run npm test for the tests.', 'The command npm test runs the tests.'],
      [
        'The command npm run check also proves the format, the types, the lint rules and the boundaries.',
        'With npm run check you also check format, types, lint and boundaries.',
      ],
    ],
  },
  {
    id: 'stop',
    what: ['the graceful drain', 'a graceful shutdown', 'shutdown'],
    how: ['stop Quipu', 'stop the gateway', 'shut down the server', 'restart the gateway'],
    ask: [
      'What happens at shutdown?',
      'What happens to open streams when the server stops?',
      'What happens on SIGTERM?',
      'Is it safe to stop the gateway?',
    ],
    answer: [
      [
        'Stop it with Ctrl+C or SIGTERM, and the gateway drains.',
        'On SIGTERM the gateway drains before it exits.',
      ],
      [
        'New requests get 503 with Retry-After, open streams may finish, and every hold is settled.',
        'It admits no new work, lets open streams finish and settles all holds.',
      ],
    ],
  },
  {
    id: 'crash',
    what: ['crash recovery', 'durability', 'power loss'],
    ask: [
      'What happens if the gateway crashes?',
      'What happens after a crash?',
      'Is my data safe when the power fails?',
      'Can a crash lose money?',
      'Can events be lost?',
      'What happens if the process is killed?',
      'Does Quipu survive a power failure?',
      'Is the data durable?',
    ],
    answer: [
      [
        'An acknowledged event is on disk, so a crash does not lose it.',
        'Events are durable before they are acknowledged, so a crash loses none of them.',
      ],
      [
        'After a restart the projections go on from their checkpoints, and a sweep closes the holds the crash left open.',
        'At the next start a sweep closes orphaned holds and the projections continue from their checkpoints.',
      ],
    ],
  },
  {
    id: 'health',
    what: ['/health/ready', '/health/live', 'the health endpoints', 'readiness', 'liveness'],
    how: ['check the health of Quipu', 'see if the gateway is ready', 'monitor the health'],
    ask: [
      'Is the gateway healthy?',
      'Which endpoint tells me that Quipu is ready?',
      'How do I know that it is alive?',
      'Is there a health check?',
    ],
    answer: [
      [
        'Call /health/live to see that the process lives and /health/ready to see that it can serve.',
        'There are two endpoints: /health/live for life and /health/ready for readiness.',
      ],
      [
        'Readiness shows the projection lag, stopped projections and the writer.',
        'The second reports projection lag, stopped projections and the state of the writer.',
      ],
    ],
  },
  {
    id: 'metrics',
    what: ['/metrics', 'the metrics', 'Prometheus', 'the logs', 'observability'],
    how: ['monitor Quipu', 'get metrics', 'connect Prometheus', 'watch the gateway'],
    ask: [
      'Which metrics are there?',
      'Does Quipu support Prometheus?',
      'Where can I see the metrics?',
      'Do the logs contain secrets?',
      'Which logger does Quipu use?',
    ],
    answer: [
      ['Prometheus can scrape /metrics.', 'The endpoint /metrics speaks the Prometheus format.'],
      [
        'Logs are written by pino and contain no secrets.',
        'The logs come from pino and never contain secrets.',
      ],
    ],
  },
  {
    id: 'docs',
    what: ['the API documentation', 'Swagger', 'the OpenAPI document', '/docs'],
    how: ['read the documentation', 'see the API documentation', 'find all the routes'],
    ask: [
      'Where is the documentation?',
      'Is there an OpenAPI document?',
      'Where can I read more?',
      'Which routes does the API have?',
      'Is there a list of endpoints?',
    ],
    answer: [
      ['Open /docs in a browser for the Swagger page.', 'The Swagger page is at /docs.'],
      [
        'The OpenAPI document with every route is at /openapi.json.',
        'You get the OpenAPI document from /openapi.json.',
      ],
    ],
  },
  {
    id: 'cli',
    what: ['the command line', 'the quipu command', 'the CLI'],
    how: ['use the command line', 'use the CLI', 'list the commands'],
    ask: [
      'Is there a command line tool?',
      'Which commands does the CLI have?',
      'What can the quipu command do?',
      'How do I manage Quipu from the terminal?',
    ],
    answer: [
      [
        'Run npm run quipu -- followed by a command.',
        'The command line tool is npm run quipu --, and then the command.',
      ],
      [
        'It creates users, rotates keys, credits accounts, shows events, rebuilds projections and checks the ledger.',
        'There are commands for users, keys, credit, events, projections and the ledger check.',
      ],
    ],
  },
  {
    id: 'licence',
    what: ['the licence', 'the license of Quipu'],
    ask: [
      'Is Quipu open source?',
      'Is Quipu free?',
      'Under which licence is Quipu published?',
      'Can I use Quipu in my company?',
      'Which license applies?',
    ],
    answer: [
      ['Quipu is published under the Apache License 2.0.', 'The licence is Apache 2.0.'],
      [
        'You may use, change and share it under those terms.',
        'So you may use and change it under the terms of that licence.',
      ],
    ],
  },
  {
    id: 'stack',
    what: ['the technology behind Quipu', 'NestJS', 'Fastify', 'TypeScript', 'the stack'],
    ask: [
      'In which language is Quipu written?',
      'Which framework does Quipu use?',
      'What is Quipu made of?',
      'Which technologies are used?',
      'Is it written in Python?',
      'What is it built with?',
    ],
    answer: [
      [
        'Quipu is written in TypeScript with NestJS on Fastify.',
        'It is a NestJS application in strict TypeScript, and Fastify serves the HTTP.',
      ],
      ['It runs on Node 24 and is tested with Jest.', 'Node 24 runs it and Jest tests it.'],
    ],
  },
];
