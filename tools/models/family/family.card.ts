import type { Sample } from '../manifest.js';
import type { FamilyManifest } from './family.manifest.js';

const quoted = ({ question, answer }: Sample): string =>
  `> **${question}**\n>\n> ${answer.replaceAll('\n', '\n> ')}`;

const thousands = (value: number): string => value.toLocaleString('en-US');

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const introduction = (manifest: FamilyManifest): string =>
  manifest.target
    ? `Proposes tokens for \`${manifest.target.file}\`, which checks them. It was distilled from it and has
the same tokenizer. It is no model to chat with: its answers are worse than those of its target.`
    : `A built-in model of Quipu, larger than nano: a small decoder in Llama architecture that answers
short questions about Quipu itself, in English, and declines others.`;

const lossOf = ({ distillation }: FamilyManifest): string =>
  distillation
    ? `${distillation.alpha} T² KL(target, draft) + ${distillation.beta} cross-entropy, T = ${distillation.temperature}`
    : 'cross-entropy';

const effortOf = ({ seed, steps, tokensSeen, seconds }: FamilyManifest['training']): string =>
  `seed ${seed}, ${thousands(steps)} steps, ${thousands(tokensSeen)} tokens, ` +
  `${Math.round(seconds / 60)} minutes on one shared CPU core`;

const facts = (manifest: FamilyManifest): string => {
  const { shape, training } = manifest;
  const rows: readonly (readonly [string, string])[] = [
    ['File', `\`${manifest.file}\`, ${thousands(manifest.bytes)} bytes, GGUF 3, 32-bit floats`],
    ['SHA-256', `\`${manifest.sha256}\``],
    ['Parameters', `${thousands(manifest.parameters)} (output matrix tied to the embedding)`],
    [
      'Layers',
      `${shape.layers} of width ${shape.width}, ${shape.heads} heads, SwiGLU of ${shape.feedForwardWidth}`,
    ],
    [
      'Details',
      `RMSNorm (epsilon ${shape.normEpsilon}), rotary positions (base ${shape.ropeBase}), no biases`,
    ],
    [
      'Tokenizer',
      `that of \`${manifest.tokenizerOf}\`: byte-level BPE, ${thousands(shape.vocabulary)} ids`,
    ],
    ['Chat template', 'ChatML'],
    [
      'Context',
      `${thousands(shape.contextLength)} tokens declared, ${thousands(manifest.trainedPositions)} trained`,
    ],
    ['Training', effortOf(training)],
    ['Loss', lossOf(manifest)],
    [
      'Held-out perplexity',
      `${training.heldOutPerplexity.toFixed(4)} per token, over ${thousands(training.heldOutTokens)} tokens`,
    ],
    ['Draft', manifest.draft ? `\`${manifest.draft.file}\`` : 'none'],
    ['Licence', 'Apache-2.0'],
  ];
  return ['| | |', '| --- | --- |', ...rows.map(([key, value]) => `| ${key} | ${value} |`)].join(
    '\n',
  );
};

const scores = ({ sharedHeldOut }: FamilyManifest): string =>
  [
    '| model | perplexity | tokens |',
    '| --- | --- | --- |',
    ...Object.entries(sharedHeldOut).map(
      ([name, { perplexity, tokens }]) =>
        `| ${name} | ${perplexity.toFixed(4)} | ${thousands(tokens)} |`,
    ),
  ].join('\n');

const acceptance = ({ target }: FamilyManifest): string => {
  if (target === null) return '';
  const { prompts, tokens, greedyByPosition, sampled } = target.acceptance;
  return `## Acceptance

Measured over the ${thousands(tokens)} tokens that \`${target.file}\` answers to ${prompts} held-out questions at
temperature 0. A row says at how many places the first tokens of the draft, up to this one, are all
those of the target.

| proposed tokens | all kept |
| --- | --- |
${greedyByPosition.map((share, index) => `| ${index + 1} | ${percent(share)} |`).join('\n')}

At temperature 1, rejection sampling keeps a proposed token with a probability of ${percent(sampled)}: the
mean of Σ min(p, q) over the same places.
`;
};

/** The model card, in Markdown. Every figure comes from the manifest. */
export const familyCard = (manifest: FamilyManifest): string => {
  const slug = manifest.reference.replace('.reference.json', '');
  return `# ${manifest.name}

${introduction(manifest)} \`npm run models:train -- family/${slug}\` makes it from nothing but this
repository. This card is written by that command; its figures are those of
[${slug}.json](${slug}.json).

${facts(manifest)}

## Training text

Dialogues and short paragraphs from the generator in \`tools/models/corpus\`: the topics of nano,
those of batches, files, jobs, workflows, agents, webhooks, the sandbox, rentals, placement, spiking
networks, tax, partners, investors, payouts and deposits, and more wordings. It has no real
conversations. Tokens the assistant must produce count 1 in the loss, tokens of users and system
messages 0.1, the frame of the template 0.

## Perplexity

Seven of a hundred phrasings of a question, chosen by a hash of their words, are never trained. The
figure above is exp of the mean -log p of the assistant's tokens in dialogues drawn from those
phrasings only. An answer has one of a few alternatives for each sentence, so the figure cannot
reach 1. It says how well the model recognises a topic in new words, and nothing about English at
large.

The models are compared on the held-out phrasings of nano, without the topics in which an answer
names the model and without one that newer topics replace. They share a tokenizer, so figures per
token compare. No model was trained on these phrasings, but mini and its draft have seen more other
phrasings of the same topics than nano:

${scores(manifest)}

${acceptance(manifest)}
## Determinism

The same seed gives the same weights on the same machine and versions: the token ids are drawn from
the seed, and training has one thread. Another kind of CPU may round differently in the last bit,
and training amplifies that, so the weights are committed.

\`${manifest.reference}\` holds, for a few prompts, PyTorch's logits and greedy continuation. Tests
hold TensorFlow.js to them within 1e-3, and llama.cpp and TensorFlow.js to the logits of
\`transformers\` (\`test/oracles/language-models\`).

## Limits

- It knows Quipu and nothing else, and of Quipu only what its topics say. It cannot reason, count,
  translate, follow instructions or use what a conversation taught it.
- It is usually fluent when wrong: an unusual wording can bring the answer to another question, and
  now and then a garbled one.
- Most of its training saw 192 tokens at a time: answers late in a long conversation are worse, and
  beyond ${thousands(manifest.trainedPositions)} tokens it was never trained.
- Above a temperature of about 1 its sentences fall apart.

## Samples

Answers to fixed lists of questions, good and bad as they came. Several of the questions, or close
relatives of them, are training text; the held-out score is the measure of new wordings. Temperature 0:

${manifest.samples.map(quoted).join('\n\n')}

Temperature 0.7:

${manifest.warmSamples.map(quoted).join('\n\n')}
`;
};
