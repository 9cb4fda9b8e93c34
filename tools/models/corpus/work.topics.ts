import type { Topic } from './topic.js';

/** Batches, files, jobs, workflows, agents and webhooks: what runs without a waiting caller. */
export const WORK_TOPICS: readonly Topic[] = [
  {
    id: 'batch',
    what: ['a batch', 'batches', 'the Batch API', '/v1/batches', 'batch processing'],
    how: ['send a batch', 'run many requests at once', 'create a batch', 'process many prompts'],
    ask: [
      'Does Quipu have a Batch API?',
      'Can I run thousands of prompts in the background?',
      'How many lines may a batch have?',
      'Is there a cheaper way to ask many questions?',
    ],
    answer: [
      [
        'A batch is a file of up to 50,000 requests that run in the background at a lower price.',
        'With /v1/batches you run a file of up to 50,000 requests in the background, for less.',
      ],
      [
        'Upload the file with the purpose batch, create the batch, and fetch the output file when it has ended.',
        'You upload a JSONL file, create the batch with its id, and read the output file at the end.',
      ],
    ],
  },
  {
    id: 'batch-price',
    what: ['the batch discount', 'the price of a batch', 'batch_discount_percent'],
    ask: [
      'What does a batch cost?',
      'How much do I save with a batch?',
      'Are failed lines of a batch charged?',
      'Do I pay for a cancelled batch?',
      'Is a batch cheaper?',
    ],
    answer: [
      [
        'Lines of a batch cost 50 percent less, unless batch_discount_percent in the catalog says otherwise.',
        'The catalog sets batch_discount_percent, which is 50 by default.',
      ],
      [
        'A failed line is free, and a cancelled batch pays only for its completed lines.',
        'You pay for completed lines only, also when the batch is cancelled or expires.',
      ],
    ],
  },
  {
    id: 'batch-window',
    what: ['the completion window', 'an expired batch', 'the error file of a batch'],
    how: ['cancel a batch', 'find the errors of a batch'],
    ask: [
      'How long may a batch take?',
      'What happens after 24 hours?',
      'Where are the failed lines?',
      'What happens to a batch after a crash?',
    ],
    answer: [
      [
        'A batch has a completion window of 24 hours, and then it has expired.',
        'After 24 hours the window closes and the batch expires.',
      ],
      [
        'Each line is once in the output file or in the error file, also after a crash.',
        'Lines that failed or have not run are in the error file with a code.',
      ],
    ],
  },
  {
    id: 'file',
    what: ['the Files API', '/v1/files', 'an uploaded file', 'files', 'file uploads'],
    how: ['upload a file', 'delete a file', 'download a file', 'list my files'],
    ask: [
      'How large may a file be?',
      'Where are uploaded files kept?',
      'Who can see my files?',
      'When does a file expire?',
    ],
    answer: [
      [
        'The Files API at /v1/files keeps what an account uploads and what its batches write.',
        'You upload, list, read and delete files at /v1/files, as with OpenAI.',
      ],
      [
        'The content is sealed with the key of the user, and a file may have 512 MiB.',
        'A file may have up to 512 MiB, and its content and name are sealed with the key of its user.',
      ],
    ],
  },
  {
    id: 'job',
    what: ['a job', 'jobs', 'durable jobs', 'long work', '/api/v1/jobs'],
    how: ['list my jobs', 'cancel a job', 'follow a job', 'see the progress of a job'],
    ask: [
      'What happens to a job when a process dies?',
      'Is a job lost after a restart?',
      'Which endpoint lists jobs?',
      'How is a job charged?',
    ],
    answer: [
      [
        'A job is long work that survives every process: it runs in attempts, ends once and is charged once.',
        'Jobs are durable: if a host is lost, another attempt goes on, and the job ends and is charged once.',
      ],
      [
        'GET /api/v1/jobs lists those of your account, and a POST to /api/v1/jobs/{id}/cancel stops one.',
        'You can list them at /api/v1/jobs, cancel one, and follow its events as a stream.',
      ],
    ],
  },
  {
    id: 'job-states',
    what: ['the states of a job', 'a paused job', 'an attempt', 'the status of a job'],
    ask: [
      'Why is my job queued?',
      'Why is my job paused?',
      'Which states does a job have?',
      'What does cancelling mean?',
      'When does a job time out?',
    ],
    answer: [
      [
        'A job is queued, dispatched, running, cancelling or paused, and ends as completed, failed, cancelled or timed_out.',
        'The states are queued, dispatched, running, cancelling and paused, and then the end of the job.',
      ],
      [
        'A paused job waits for funds, because its account cannot pay for the next period.',
        'It is paused when the account cannot pay, and goes on when there are funds in time.',
      ],
    ],
  },
  {
    id: 'workflow',
    what: ['a workflow', 'workflows', 'a workflow graph', 'durable workflows', 'a node'],
    how: [
      'define a workflow',
      'run a workflow',
      'connect several tools',
      'build a pipeline of steps',
    ],
    ask: [
      'Does Quipu have workflows?',
      'What can a node of a workflow do?',
      'Can I chain several calls?',
      'What happens to a workflow after a crash?',
    ],
    answer: [
      [
        'A workflow is a graph of calls to the tools of this gateway that runs durably.',
        'Workflows are graphs whose nodes call tools such as chat, and every step is an event.',
      ],
      [
        'Whenever a process ends, another one goes on and does nothing twice.',
        'After a crash another process continues the run, and nothing is done twice.',
      ],
    ],
  },
  {
    id: 'workflow-nodes',
    what: ['the kinds of nodes', 'a branch node', 'a map node', 'an approval', 'a trigger rule'],
    how: ['wait for a decision in a workflow', 'call a tool for each item of a list'],
    ask: [
      'Which kinds of nodes are there?',
      'Can a human approve a step?',
      'Which trigger rules exist?',
      'Does a workflow support branches?',
    ],
    answer: [
      [
        'A node is a tool, a branch, a map, a wait or an approval.',
        'Besides tools there are the nodes branch, map, wait and approval.',
      ],
      [
        'The trigger rules are all_success, one_failed, all_done and none_failed.',
        'A trigger rule such as all_success or one_failed says when a node may begin.',
      ],
    ],
  },
  {
    id: 'workflow-money',
    what: ['the price of a workflow', 'the hold of a run'],
    ask: [
      'What does a workflow run cost?',
      'Are failed attempts of a node charged?',
      'How is a workflow charged?',
      'Do retries of a node cost money?',
    ],
    answer: [
      [
        'A run has one hold and one charge, with a line for each meter of each node.',
        'The run is charged once at its end, at the prices of its start.',
      ],
      [
        'Failed attempts are not charged, only what successful nodes have used.',
        'You pay for nodes that succeeded, and failed attempts are free.',
      ],
    ],
  },
  {
    id: 'agent',
    what: ['an agent', 'agents', 'an agent session', 'agents/orchestrate', 'the planner'],
    how: ['run an agent', 'give an agent a goal', 'start an agent session'],
    ask: [
      'Does Quipu have agents?',
      'What can an agent do?',
      'Which endpoint starts an agent?',
      'Which tools does an agent have?',
    ],
    answer: [
      [
        'An agent is a session in which a model reaches a goal with the tools of this gateway.',
        'In an agent session a planner model calls tools, step by step, until it can answer.',
      ],
      [
        'Start one with POST /api/v1/agents/orchestrate.',
        'POST a goal to /api/v1/agents/orchestrate to start a session.',
      ],
    ],
  },
  {
    id: 'agent-budget',
    what: ['max_steps', 'max_token_budget', 'the budget of an agent', 'budget_exhausted'],
    how: ['limit an agent', 'limit the tokens of an agent'],
    ask: [
      'Why did my agent stop?',
      'How many steps may an agent take?',
      'What does budget_exhausted mean?',
      'Can an agent run forever?',
    ],
    answer: [
      [
        'An agent stops at max_steps, which is 8 by default, or at max_token_budget, which is 8,192.',
        'The limits are max_steps and max_token_budget, by default 8 steps and 8,192 tokens.',
      ],
      [
        'At either limit the status of the session is budget_exhausted.',
        'When one is reached, the session ends as budget_exhausted.',
      ],
    ],
  },
  {
    id: 'mcp',
    what: ['MCP', 'the Model Context Protocol', '/api/v1/mcp', 'an MCP client', 'MCP servers'],
    how: ['connect an MCP client', 'use the tools over MCP', 'add an MCP server'],
    ask: [
      'Does Quipu support MCP?',
      'Can agents call tools of other MCP servers?',
      'Which endpoint speaks MCP?',
    ],
    answer: [
      [
        'Clients of the Model Context Protocol call the tools of this gateway at /api/v1/mcp.',
        'At /api/v1/mcp an MCP client finds the tools of this gateway.',
      ],
      [
        'The setting QUIPU_AGENT_MCP_SERVERS names other servers whose tools agents may call.',
        'Agents can also use tools of other servers, which QUIPU_AGENT_MCP_SERVERS lists.',
      ],
    ],
  },
  {
    id: 'tools',
    what: ['a tool', 'the tools of the gateway', 'the calculator', 'the http tool'],
    ask: [
      'Which tools are there?',
      'What is a tool in Quipu?',
      'Who can call a tool?',
      'Which hosts may the http tool call?',
    ],
    answer: [
      [
        'A tool is a service of this gateway that workflows, agents and MCP clients may call.',
        'Tools such as chat, wasm, tax, http and calculator can be called by workflows and agents.',
      ],
      [
        'The tool http calls only the hosts that QUIPU_HTTP_TOOL_HOSTS names.',
        'For http, QUIPU_HTTP_TOOL_HOSTS lists the hosts that may be called.',
      ],
    ],
  },
  {
    id: 'mesh',
    what: ['the mesh', 'a handoff', 'mesh_handoff', 'a fencing token', 'the lease of a task'],
    how: ['hand a task to another agent', 'keep a lease alive'],
    ask: [
      'What happens when an agent stops sending heartbeats?',
      'How do agents share tasks?',
      'Can two agents hold one task?',
      'What is raft_leader?',
    ],
    answer: [
      [
        'In the mesh, agents of an account hand tasks to each other, each under a lease with a fencing token.',
        'Agents hand tasks on with mesh_handoff, and each handoff gives a lease and a higher fencing token.',
      ],
      [
        'Heartbeats renew the lease, and without them it ends and any agent may take the task.',
        'At most one lease of a task is valid, and it ends without heartbeats.',
      ],
    ],
  },
  {
    id: 'webhook',
    what: ['a webhook', 'webhooks', 'notifications', 'webhook endpoints', 'a delivery'],
    how: ['receive webhooks', 'register a webhook', 'get notified about events', 'get a callback'],
    ask: [
      'Does Quipu support webhooks?',
      'Can Quipu tell my server about events?',
      'How many endpoints may I register?',
      'Which events can be sent to my server?',
    ],
    answer: [
      [
        'A webhook is a signed message about an event of your account, sent by POST to an endpoint that you register.',
        'You register an https endpoint, and Quipu sends it a signed message for each event that it wants.',
      ],
      [
        'An account may have 20 endpoints, and only public addresses are allowed.',
        'Up to 20 endpoints are allowed, all of them public https addresses.',
      ],
    ],
  },
  {
    id: 'webhook-signature',
    what: ['the webhook signature', 'webhook-signature', 'Standard Webhooks', 'webhook-id'],
    how: ['verify a webhook', 'check the signature of a webhook', 'recognise a repeated webhook'],
    ask: [
      'How are webhooks signed?',
      'Can a webhook arrive twice?',
      'How do I know a webhook is real?',
    ],
    answer: [
      [
        'Messages are signed as Standard Webhooks, with HMAC-SHA256 in the header webhook-signature.',
        'The header webhook-signature has an HMAC-SHA256, as Standard Webhooks defines it.',
      ],
      [
        'A message may arrive twice, so recognise it by its webhook-id.',
        'Use webhook-id to recognise a message that is sent again.',
      ],
    ],
  },
  {
    id: 'webhook-retries',
    what: ['webhook retries', 'a failed delivery', 'the replay of a webhook'],
    how: ['replay a webhook', 'send a webhook again'],
    ask: [
      'What happens if my server is down?',
      'How often is a webhook retried?',
      'How fast must my endpoint answer?',
    ],
    answer: [
      [
        'A delivery without a 2xx answer within 15 seconds is tried again, 10 times in about three days.',
        'Quipu makes up to 10 attempts in about three days, each with a limit of 15 seconds.',
      ],
      [
        'After that it is given up, and you can replay it.',
        'A replay sends the same message again with the same webhook-id.',
      ],
    ],
  },
];
