/**
 * One thing the model can be asked about. Questions are made from short phrases put into frames,
 * answers from one alternative per sentence, so a topic of a few lines yields hundreds of dialogues.
 */
export interface Topic {
  readonly id: string;
  /** Noun phrases that fit "What is …?" and "Tell me about …". */
  readonly what?: readonly string[];
  /** Verb phrases that fit "How do I …?". */
  readonly how?: readonly string[];
  /** Whole questions, with their punctuation. */
  readonly ask?: readonly string[];
  /** Per sentence, the alternatives. */
  readonly answer: readonly (readonly string[])[];
}

/** Sentences in which `{}` stands for a noun phrase, and for a verb phrase. */
export interface Frames {
  readonly whatFrames: readonly string[];
  readonly howFrames: readonly string[];
}

export const WHAT_FRAMES: readonly string[] = [
  'What is {}?',
  'What is {} in Quipu?',
  'What are {}?',
  'Tell me about {}.',
  'Explain {}.',
  'Can you explain {}?',
  'Please explain {} to me.',
  'What does Quipu mean by {}?',
  'Describe {}.',
  'Could you describe {} in a few words?',
  'I do not understand {}.',
  'Help me understand {}.',
  'What can you tell me about {}?',
  'Give me a short explanation of {}.',
  'What should I know about {}?',
  'How does {} work?',
  'How do {} work in Quipu?',
  'Define {}.',
  'Do you know what {} means?',
  'I have a question about {}.',
  '{}?',
  'Why does Quipu have {}?',
  'Say something about {}.',
  'In one sentence, what is {}?',
];

export const HOW_FRAMES: readonly string[] = [
  'How do I {}?',
  'How can I {}?',
  'How do you {}?',
  'How does one {}?',
  'I want to {}.',
  'I would like to {}.',
  'I need to {}.',
  'Show me how to {}.',
  'Tell me how to {}.',
  'Can you tell me how to {}?',
  'What do I do to {}?',
  'What is the way to {}?',
  'Is there a way to {}?',
  'Can I {}?',
  'Please help me to {}.',
  'What command do I use to {}?',
  'Where can I {}?',
  'How to {}?',
];
