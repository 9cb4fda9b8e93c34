import { type Detector, firstMatch, isAlphanumeric } from './detector.js';

interface SecretForm {
  /** Letters count. */
  readonly prefix: string;
  /** The least characters behind the prefix. */
  readonly restMin: number;
}

/** As the issuers document them, or as their scanners look for them. */
const FORMS: readonly SecretForm[] = [
  // OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and others.
  { prefix: 'sk-', restMin: 20 },
  // Stripe.
  ...['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'].map((prefix) => ({ prefix, restMin: 16 })),
  { prefix: 'whsec_', restMin: 24 },
  // GitHub.
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => ({ prefix, restMin: 36 })),
  { prefix: 'github_pat_', restMin: 40 },
  // GitLab.
  { prefix: 'glpat-', restMin: 20 },
  // Amazon: the ids of keys.
  { prefix: 'AKIA', restMin: 16 },
  { prefix: 'ASIA', restMin: 16 },
  // Google.
  { prefix: 'AIza', restMin: 35 },
  { prefix: 'ya29.', restMin: 20 },
  // Slack.
  ...['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-'].map((prefix) => ({ prefix, restMin: 20 })),
  // Hugging Face, npm, PyPI, SendGrid, DigitalOcean, Groq, xAI.
  { prefix: 'hf_', restMin: 30 },
  { prefix: 'npm_', restMin: 36 },
  { prefix: 'pypi-', restMin: 50 },
  { prefix: 'SG.', restMin: 60 },
  { prefix: 'dop_v1_', restMin: 60 },
  { prefix: 'gsk_', restMin: 40 },
  { prefix: 'xai-', restMin: 40 },
];

const UNITS_MAX = 256;

const escaped = (text: string): string => text.replaceAll('.', String.raw`\.`);

/** Texts of fixed length. */
const PREFIXES = new RegExp(FORMS.map(({ prefix }) => escaped(prefix)).join('|'), 'g');

const isSecret = (text: string, at: number): boolean =>
  isAlphanumeric(text, at) || (at < text.length && '_-.'.includes(text.charAt(at)));

const endOf = (text: string, start: number): number => {
  if (isAlphanumeric(text, start - 1) || text.charAt(start - 1) === '_') return 0;
  let end = start;
  while (end - start < UNITS_MAX && isSecret(text, end)) end += 1;
  // The end of a sentence is no part of it.
  while (end > start && !isAlphanumeric(text, end - 1)) end -= 1;
  const isKnown = FORMS.some(
    ({ prefix, restMin }) =>
      text.startsWith(prefix, start) && end - start - prefix.length >= restMin,
  );
  return isKnown ? end : 0;
};

/** Keys of well-known services, by their prefixes. */
export const secretDetector: Detector = {
  unitsMax: UNITS_MAX,
  next: (text, from) => firstMatch(text, from, PREFIXES, (start) => endOf(text, start)),
};
