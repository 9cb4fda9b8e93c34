/** Wordings that nano does not train on: more frames, and more questions of some topics. */
export const MORE_WHAT_FRAMES: readonly string[] = [
  'What exactly is {}?',
  'What about {}?',
  'I want to know more about {}.',
  'I would like to learn about {}.',
  'Do you know {}?',
  'What is meant by {}?',
  'How would you explain {} to a beginner?',
  'Can you say something about {}?',
  'Where can I read about {}?',
  'Who uses {}?',
  'I have read about {}, what is it?',
  'Give me the basics of {}.',
  'When do I need {}?',
  'What is {} good for?',
  'Is there {}?',
];

export const MORE_HOW_FRAMES: readonly string[] = [
  'What is the best way to {}?',
  'Is it possible to {}?',
  'I am trying to {}.',
  'Do you know how to {}?',
  'Which steps do I take to {}?',
  'What do I need to {}?',
  'How would I {}?',
  'Explain how to {}.',
  'May I {}?',
  'I do not know how to {}.',
];

/** By topic id. */
export const MORE_QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  balance: [
    'Is my balance a column in a table?',
    'Is a balance just a number?',
    'Where does my balance come from?',
    'Why is my balance correct?',
  ],
  cli: [
    'Is there a terminal command?',
    'Does Quipu have a CLI?',
    'Can I use a shell?',
    'Do you have a CLI?',
  ],
  mongodb: [
    'Can MongoDB replace SQLite?',
    'Can I use Mongo?',
    'Is SQLite required or can I use MongoDB?',
  ],
  eventstoredb: ['Can I use KurrentDB?', 'Can the log live in EventStoreDB?'],
  hold: [
    'When is a hold captured?',
    'What is a hold and when does it end?',
    'Why is money held?',
    'Why is part of my money reserved?',
  ],
  crash: [
    'My computer crashed, did I lose anything?',
    'The power went out, is my money safe?',
    'Do I lose money when the server dies?',
  ],
  insufficient: ['I got a 402, why?', 'What does 402 mean?', 'The gateway says payment required.'],
  privacy: [
    'Can anybody read my prompts?',
    'Are prompts private?',
    'Who can read what I write?',
    'Do you store what I ask?',
  ],
  retries: [
    'What happens when a rig fails?',
    'What happens if a rig dies?',
    'A rig went down, what now?',
  ],
  'rate-card': ['Where do the prices come from?', 'How do rate cards work?', 'Can prices change?'],
  audit: [
    'Why should an auditor trust Quipu?',
    'Can I prove what I was charged?',
    'How can I check a bill?',
  ],
  streaming: ['Can I get the answer token by token?', 'Can I see the tokens as they come?'],
  port: ['On which address does it run?', 'Where is it listening?', 'The port is in use.'],
  start: ['How do I run this thing?', 'How can I try it?', 'What do I type first?'],
  requirements: ['Will it run on my old laptop?', 'Do I need a graphics card?'],
};
