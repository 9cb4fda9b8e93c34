/** What the family is asked after its training; nothing here was picked for its answer. */
import { SAMPLE_QUESTIONS, WARM_QUESTIONS } from '../report.js';

/** At temperature 0: all that nano is asked, and the areas that nano does not know. */
export const FAMILY_SAMPLE_QUESTIONS: readonly string[] = [
  ...SAMPLE_QUESTIONS,
  'How do I run a thousand prompts overnight?',
  'what does a batch cost',
  'How large can an uploaded file be?',
  'What happens to my workflow when the server crashes?',
  'can an agent use the calculator',
  'How do I verify a webhook?',
  'Is code in the sandbox charged if it crashes?',
  'I want to rent a machine with a GPU',
  'What is a spiking neural network?',
  'Is the energy figure measured?',
  'Do I have to pay VAT?',
  'What does a partner earn?',
  'Can I pay with dogecoin?',
  'Are you smarter than nano?',
];

/** At temperature 0.7. */
export const FAMILY_WARM_QUESTIONS: readonly string[] = [
  ...WARM_QUESTIONS,
  'tell me about file sync',
  'how does placement work',
  'What is MCP?',
  'Explain the mesh to me',
  'Why is the APY null?',
];
