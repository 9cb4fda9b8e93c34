import type { Topic } from './topic.js';

/** The chat API, models, rigs and routing. */
export const INFERENCE_TOPICS: readonly Topic[] = [
  {
    id: 'chat',
    what: ['/v1/chat/completions', 'a chat completion', 'the chat endpoint', 'the chat API'],
    how: [
      'send a message',
      'send a request',
      'ask a model something',
      'get a chat completion',
      'call a model',
      'use the API',
      'chat with a model',
    ],
    ask: [
      'Which endpoint answers chats?',
      'Which fields does a chat request have?',
      'Where do I send my messages?',
      'Give me an example request.',
      'Which URL do I post to?',
    ],
    answer: [
      [
        'Send a POST to /v1/chat/completions with a model and a list of messages.',
        'POST a model name and your messages to /v1/chat/completions.',
      ],
      [
        'Put your API key into the Authorization header as a bearer token.',
        'Your API key goes into the Authorization header.',
      ],
    ],
  },
  {
    id: 'openai',
    what: ['OpenAI compatibility', 'the OpenAI client', 'the OpenAI API'],
    how: [
      'use the OpenAI client',
      'use the openai package',
      'connect my OpenAI app',
      'use LangChain with Quipu',
    ],
    ask: [
      'Is Quipu compatible with OpenAI?',
      'Does the OpenAI SDK work?',
      'Can I use my existing client?',
      'Which clients work with Quipu?',
      'Do I have to change my code?',
    ],
    answer: [
      [
        'The official openai client works unmodified.',
        'Quipu speaks the OpenAI API, so the openai client works without changes.',
      ],
      [
        'Set its base URL to http://127.0.0.1:8080/v1 and use your Quipu key.',
        'Point it at http://127.0.0.1:8080/v1 with a key of Quipu.',
      ],
    ],
  },
  {
    id: 'streaming',
    what: ['streaming', 'server-sent events', 'SSE', 'a streamed answer', '[DONE]'],
    how: ['stream an answer', 'get tokens one by one', 'turn on streaming', 'receive a stream'],
    ask: [
      'Does Quipu support streaming?',
      'How does a stream end?',
      'Can answers be streamed?',
      'What does stream true do?',
      'Which format do streams have?',
    ],
    answer: [
      [
        'Set stream to true and the answer arrives as server-sent events.',
        'With stream set to true you get the tokens as server-sent events.',
      ],
      ['The stream ends with data: [DONE].', 'The last line of the stream is data: [DONE].'],
    ],
  },
  {
    id: 'usage-stream',
    what: ['include_usage', 'stream_options', 'the usage of a stream', 'the usage field'],
    how: ['get usage in a stream', 'count tokens', 'see how many tokens I used'],
    ask: [
      'How many tokens did I use?',
      'Where is the usage of a streamed answer?',
      'What are prompt_tokens and completion_tokens?',
    ],
    answer: [
      [
        'Every answer has a usage object with prompt, completion and total tokens.',
        'The usage object counts prompt tokens, completion tokens and their total.',
      ],
      [
        'For a stream, set include_usage in stream_options to get it.',
        'A stream sends it when stream_options has include_usage.',
      ],
    ],
  },
  {
    id: 'abort',
    what: ['a cancelled request', 'an aborted stream', 'a stream cut short', 'cancellation'],
    how: ['cancel a request', 'abort a stream', 'stop a running answer'],
    ask: [
      'What happens when I disconnect?',
      'What happens if the client leaves?',
      'Do I pay for an aborted stream?',
      'What do I pay when I cancel?',
      'What happens if I close the connection?',
    ],
    answer: [
      [
        'When the client leaves, the upstream is aborted within 100 milliseconds.',
        'Close the connection and Quipu aborts the upstream within 100 milliseconds.',
      ],
      [
        'You are charged only for what was delivered.',
        'The charge covers only the tokens that were delivered.',
      ],
    ],
  },
  {
    id: 'idempotency',
    what: ['an idempotency key', 'the Idempotency-Key header', 'idempotency', 'a replayed answer'],
    how: ['retry a request safely', 'avoid paying twice', 'send a request only once'],
    ask: [
      'What happens when I send a request twice?',
      'Is it safe to retry?',
      'Am I charged twice for a retry?',
      'What does 409 mean?',
      'How long is an idempotency key valid?',
    ],
    answer: [
      [
        'Send the Idempotency-Key header, and the same key with the same body replays the stored answer without a charge.',
        'With the same Idempotency-Key and body you get the stored answer again and pay nothing.',
      ],
      [
        'Another body with that key gets 409, and keys expire after 24 hours.',
        'A different body is refused with 409, and stored answers expire after 24 hours.',
      ],
    ],
  },
  {
    id: 'models-endpoint',
    what: ['/v1/models', 'the model list', 'the models endpoint'],
    how: ['list the models', 'see which models exist', 'find the available models'],
    ask: [
      'Which models are available?',
      'Which models can I use?',
      'What models do you have?',
      'Which endpoint lists models?',
      'Is there a list of models?',
    ],
    answer: [
      [
        'Call GET /v1/models to list the models you can use.',
        'GET /v1/models returns the list of models.',
      ],
      [
        'The built-in model is always there, and the catalog adds the rest.',
        'Besides the built-in model it shows those of your catalog.',
      ],
    ],
  },
  {
    id: 'catalog',
    what: ['the catalog', 'QUIPU_CATALOG', 'the catalog file', 'the model catalog'],
    how: ['edit the catalog', 'configure models', 'change the catalog', 'define a model'],
    ask: [
      'Where are models configured?',
      'Which file lists the models?',
      'What does the catalog contain?',
      'In which format is the catalog?',
    ],
    answer: [
      [
        'The catalog is a YAML file with rigs, models and prices.',
        'Models, rigs and prices stand in a YAML file called the catalog.',
      ],
      [
        'QUIPU_CATALOG names the file, and a default one ships with Quipu.',
        'Set QUIPU_CATALOG to use your own file instead of the default.',
      ],
    ],
  },
  {
    id: 'add-model',
    what: ['an upstream', 'upstreams', 'an upstream rig', 'a larger model'],
    how: [
      'add a model',
      'add an upstream',
      'connect vLLM',
      'connect Ollama',
      'use a real model',
      'use a bigger model',
      'point Quipu at my own server',
      'connect llama.cpp',
      'use another provider',
    ],
    ask: [
      'Can Quipu use vLLM?',
      'Does Quipu work with Ollama?',
      'Which upstreams are supported?',
      'Can I use a 70B model?',
    ],
    answer: [
      [
        'Add a rig of kind openai with its base_url to the catalog, and a model that uses it.',
        'In the catalog, add a rig of kind openai with a base_url and list it under a model.',
      ],
      [
        'Any OpenAI-compatible server works, such as vLLM, llama.cpp or Ollama.',
        'It can be vLLM, llama.cpp, Ollama or any other OpenAI-compatible server.',
      ],
    ],
  },
  {
    id: 'gguf',
    what: ['a GGUF file', 'GGUF', 'the models folder', 'QUIPU_HOME/models'],
    how: [
      'run my own GGUF',
      'use a GGUF file',
      'serve a local model',
      'run a model without a server',
      'drop in a model',
    ],
    ask: [
      'Can I use my own model file?',
      'Where do I put a GGUF?',
      'Which model files can Quipu load?',
      'Can Quipu run Llama locally?',
    ],
    answer: [
      [
        'Put the file into QUIPU_HOME/models and Quipu serves it.',
        'Any GGUF file in the folder QUIPU_HOME/models is served.',
      ],
      [
        'It runs through node-llama-cpp with its own chat template.',
        'Quipu runs it in-process with node-llama-cpp, off the event loop.',
      ],
    ],
  },
  {
    id: 'gpu',
    what: ['GPU support', 'CUDA', 'Vulkan', 'graphics cards'],
    how: ['use my GPU', 'enable CUDA', 'run on a GPU'],
    ask: [
      'Does Quipu use the GPU?',
      'Can Quipu run on a graphics card?',
      'Why is my GPU not used?',
      'Is CUDA supported?',
    ],
    answer: [
      [
        'The built-in engine runs on the CPU by default.',
        'By default the embedded models run on the CPU.',
      ],
      [
        'CUDA and Vulkan binaries are opt-in because they are large.',
        'The CUDA and Vulkan binaries are an option, since they make the install much larger.',
      ],
    ],
  },
  {
    id: 'rig',
    what: ['a rig', 'rigs', 'a node that serves models', 'a worker rig'],
    ask: [
      'Which kinds of rigs are there?',
      'What does a rig do?',
      'Where do models run?',
      'What is the difference between a rig and a model?',
    ],
    answer: [
      [
        'A rig is a node that can serve models.',
        'A rig is a machine or server that serves models.',
      ],
      [
        'Upstream rigs are called over HTTP, and worker rigs register and beat over the bus.',
        'Some rigs are OpenAI-compatible servers, and others are Quipu workers on the bus.',
      ],
    ],
  },
  {
    id: 'routing',
    what: ['the routing mode', 'routing_mode', 'routing modes', 'routing'],
    how: ['choose a routing mode', 'select how a request is executed'],
    ask: [
      'Which routing modes are there?',
      'How are requests routed?',
      'How is a rig chosen?',
      'Where does my request go?',
      'What is the default routing mode?',
    ],
    answer: [
      [
        'The field routing_mode selects how a request is executed, and the answer echoes it.',
        'With routing_mode you choose the strategy that executes a request.',
      ],
      [
        'The default is auto, and rig_{id} pins the request to one rig.',
        'Use auto for the best rig or rig_{id} for one rig of your choice.',
      ],
    ],
  },
  {
    id: 'auto',
    what: ['routing mode auto', 'auto', 'automatic routing', 'the auto mode'],
    ask: [
      'What does auto do?',
      'How does auto choose?',
      'Which rig does auto take?',
      'What happens with routing_mode auto?',
    ],
    answer: [
      [
        'The mode auto picks the healthiest and least loaded rig that serves the model.',
        'With auto, Quipu takes the healthiest, least loaded rig for your model.',
      ],
      ['It is the default.', 'You need not set it, because it is the default.'],
    ],
  },
  {
    id: 'pin',
    what: ['rig_{id}', 'a pinned rig', 'pinning'],
    how: ['pin a rig', 'send a request to one rig', 'choose the rig myself', 'use a certain rig'],
    ask: ['Can I choose the rig?', 'How is a request pinned to a rig?'],
    answer: [
      [
        'Set routing_mode to rig_ followed by the id of the rig.',
        'Use rig_{id} as the routing_mode, with the id of your rig.',
      ],
      [
        'The request then goes to that rig and to no other.',
        'Then only that rig answers the request.',
      ],
    ],
  },
  {
    id: 'mode-unavailable',
    what: ['routing_mode_unavailable', 'status 501', 'the code 501'],
    ask: [
      'Why do I get 501?',
      'What does routing_mode_unavailable mean?',
      'Why is my routing mode refused?',
      'What happens when a mode does not exist yet?',
    ],
    answer: [
      [
        'Status 501 with routing_mode_unavailable means that the engine of this mode is not there.',
        'The code routing_mode_unavailable says that no engine serves this mode.',
      ],
      ['Use auto instead.', 'Choose the mode auto instead.'],
    ],
  },
  {
    id: 'retries',
    what: ['retries', 'fallback', 'the circuit breaker', 'failover'],
    ask: [
      'What happens when a rig fails?',
      'What happens when the upstream is down?',
      'Does Quipu retry?',
      'When does Quipu try another rig?',
      'How are failures handled?',
    ],
    answer: [
      [
        'Before the first byte Quipu retries with back-off and then falls back to another rig.',
        'Quipu retries only before the first byte, and it can fall back to another rig.',
      ],
      [
        'A circuit breaker for each rig keeps requests away from one that fails.',
        'Each rig has a circuit breaker, so a failing one is left alone for a while.',
      ],
    ],
  },
  {
    id: 'headers',
    what: ['the response headers', 'x-request-id', 'the request id'],
    ask: [
      'Which headers does an answer have?',
      'How do I see the cost of a request?',
      'Where do I see which rig answered?',
      'How can I find the event of my request?',
      'What did my last request cost?',
    ],
    answer: [
      [
        'Each answer carries headers with the request id, the attempts, the rig, the overhead and the cost.',
        'Look at the response headers: they name the request id, the rig, the attempts and the cost.',
      ],
      ['They also give the id of the charge event.', 'The id of the event is there as well.'],
    ],
  },
  {
    id: 'errors',
    what: ['the error envelope', 'errors', 'an error message', 'the error format'],
    ask: [
      'What does an error look like?',
      'How are errors reported?',
      'Which format do errors have?',
      'My request failed, what does the error mean?',
      'I got an error.',
      'Something is broken.',
    ],
    answer: [
      [
        'Errors under /v1 have the shape of OpenAI: a message, a type, a param and a code.',
        'An error under /v1 is an object with message, type, param and code.',
      ],
      [
        'The message names the field that is wrong.',
        'Read the code and the message, which names the bad field.',
      ],
    ],
  },
  {
    id: 'max-tokens',
    what: ['max_tokens', 'the token limit', 'max_output', 'the length limit'],
    how: ['limit the length of an answer', 'get a shorter answer', 'limit the cost of a request'],
    ask: [
      'How long can an answer be?',
      'What is the default of max_tokens?',
      'What if I give no max_tokens?',
      'Why was my answer cut off?',
      'What does finish_reason length mean?',
    ],
    answer: [
      [
        'The field max_tokens limits the length of the answer and with it the size of the hold.',
        'With max_tokens you limit how long the answer can be and how much is held.',
      ],
      [
        'Without it the limit is the max_output of the catalog, by default 4,096 tokens, or what your balance covers.',
        'If you leave it out, the model limit of the catalog applies, or what the balance still covers.',
      ],
    ],
  },
  {
    id: 'temperature',
    what: ['temperature', 'top_p', 'sampling', 'the temperature of a model'],
    how: ['get more creative answers', 'make answers less random', 'change the temperature'],
    ask: [
      'What does temperature do?',
      'What is the default temperature?',
      'Which temperature should I use?',
      'Why are answers different each time?',
    ],
    answer: [
      [
        'Temperature sets how random an answer is, from 0 to 2.',
        'A higher temperature makes answers more random.',
      ],
      [
        'The default is 0.7, and at 0 the model always takes the most likely token.',
        'At 0 the most likely token always wins, and the default is 0.7.',
      ],
    ],
  },
  {
    id: 'seed',
    what: ['the seed', 'a seed', 'reproducible answers', 'stop sequences', 'the stop field'],
    how: ['get the same answer twice', 'make answers reproducible', 'use a stop string'],
    ask: [
      'What does seed do?',
      'What does the stop field do?',
      'Can I repeat an answer exactly?',
      'Are answers deterministic?',
    ],
    answer: [
      [
        'With the same seed the built-in model gives the same text again.',
        'The same seed and the same request give the same text.',
      ],
      [
        'A stop string ends the answer before the string appears.',
        'The field stop ends the answer at a string of your choice.',
      ],
    ],
  },
  {
    id: 'unknown-fields',
    what: ['tools', 'response_format', 'function calling', 'unknown fields'],
    ask: [
      'Does Quipu support tools?',
      'Can I use function calling?',
      'Are unknown fields allowed?',
      'What happens with fields Quipu does not know?',
    ],
    answer: [
      [
        'Fields such as tools and response_format pass through to upstream servers.',
        'Other OpenAI fields pass through to the upstream.',
      ],
      [
        'An engine that cannot honour a field refuses it by name.',
        'The built-in model refuses by name what it cannot honour.',
      ],
    ],
  },
  {
    id: 'context',
    what: ['the context length', 'the context window', 'your memory'],
    ask: [
      'How long can my prompt be?',
      'How many tokens can you read?',
      'Do you remember our last conversation?',
      'What happens if the prompt is too long?',
      'Do you remember me?',
      'What did I ask you before?',
    ],
    answer: [
      [
        'A model sees only the messages of the request, up to its context length.',
        'I see only the messages of this request and remember nothing else.',
      ],
      [
        'A prompt that is too long is refused with its token count and the limit.',
        'If a prompt is longer than the context, the error names its tokens and the limit.',
      ],
    ],
  },
  {
    id: 'performance',
    what: ['the performance of Quipu', 'the benchmark', 'latency', 'the overhead'],
    how: ['measure the speed', 'run the benchmark'],
    ask: [
      'Is Quipu fast?',
      'How fast is Quipu?',
      'How many requests can it serve?',
      'Does accounting slow it down?',
    ],
    answer: [
      [
        'Run npm run bench to measure it on your machine.',
        'Measure it yourself with npm run bench.',
      ],
      [
        'Commands to one stream go down in one batch, so a hot account stays fast.',
        'Appends are committed in groups, so durable accounting stays cheap.',
      ],
    ],
  },
  {
    id: 'spiking',
    what: ['spiking networks', 'the spiking modes', 'hybrid networks'],
    ask: [
      'Does Quipu support spiking neural networks?',
      'What does snn_spiking mean?',
      'What are the hybrid modes?',
    ],
    answer: [
      [
        'Quipu knows routing modes for spiking and hybrid neural networks.',
        'Some routing modes select spiking or hybrid neural networks.',
      ],
      [
        'A number that was not measured is null there, never invented.',
        'Where a number was not measured, the answer says null.',
      ],
    ],
  },
];
