import type { Manifest, Sample } from './manifest.js';

const quoted = ({ question, answer }: Sample): string =>
  `> **${question}**\n>\n> ${answer.replaceAll('\n', '\n> ')}`;

const thousands = (value: number): string => value.toLocaleString('en-US');

/** The model card, in Markdown. Every figure comes from the manifest; nothing is rounded up. */
export const modelCard = (manifest: Manifest): string => {
  const { shape, training, reference } = manifest;
  return `# ${manifest.name}

The model built into Quipu: a very small decoder in Llama architecture that answers short questions
about Quipu itself, in English, and declines others. \`npm run models:train\` makes it from nothing but
this repository. This card is written by that command; its figures are those of
[nano.json](nano.json).

| | |
| --- | --- |
| File | \`${manifest.file}\`, ${thousands(manifest.bytes)} bytes, GGUF 3, 32-bit floats |
| SHA-256 | \`${manifest.sha256}\` |
| Parameters | ${thousands(manifest.parameters)} (output matrix tied to the embedding) |
| Layers | ${shape.layers} of width ${shape.width}, ${shape.heads} heads, SwiGLU of ${shape.feedForwardWidth} |
| Details | RMSNorm (epsilon ${shape.normEpsilon}), rotary positions (base ${thousands(shape.ropeBase)}), no biases |
| Tokenizer | byte-level BPE, ${thousands(shape.vocabulary)} ids, trained on the same text; any UTF-8 is accepted |
| Chat template | ChatML |
| Context | ${thousands(shape.contextLength)} tokens declared, ${thousands(manifest.trainedPositions)} trained |
| Training | seed ${training.seed}, ${thousands(training.steps)} steps, ${thousands(training.tokensSeen)} tokens, ${Math.round(training.seconds / 60)} minutes on two shared CPU cores |
| Held-out perplexity | ${training.heldOutPerplexity.toFixed(4)} per token, over ${thousands(training.heldOutTokens)} tokens |
| Licence | Apache-2.0 |

## Training text

Dialogues and short paragraphs from the generator in \`tools/models/corpus\`: about a hundred topics, each
with noun phrases, verb phrases and whole questions set into frames, and with alternatives for each
sentence of the answer; greetings; questions about anything else, which are declined; typing as people
do it (no capitals, contractions, slips); system messages; up to three exchanges. It has no
real conversations. Tokens the assistant must produce count 1 in the loss, tokens of users and
system messages 0.1, the frame of the template 0.

## Perplexity

Seven of a hundred phrasings of a question, chosen by a hash of their words, are never trained. The
figure is exp of the mean -log p of the assistant's tokens in dialogues drawn from those phrasings
only. The answers to them come from the same sentences as in training, one alternative drawn at
random for each, so the figure cannot reach 1 and says how well the model recognises a topic in new
words; it says nothing about English at large.

## Determinism

The same seed gives the same weights on the same machine and versions: the batches are drawn from the
seed and the gradients of two threads are added in a fixed order. Another kind of CPU may round
differently in the last bit, and training amplifies that, so the weights are committed.

\`${reference}\` holds, for a few prompts, the trainer's logits and greedy continuation. Tests hold
llama.cpp to them within 1e-3, and compare it with a fresh pass of the trainer over this file.

## Limits

- It knows Quipu and nothing else, and of Quipu only what its topics say. It cannot reason, count,
  translate, follow instructions or use what a conversation taught it.
- It is usually fluent when wrong: an unusual wording can bring the answer to another question, and
  now and then a garbled one.
- Most of its training saw 192 tokens at a time: answers late in a long conversation are worse, and
  beyond ${thousands(manifest.trainedPositions)} tokens it was never trained.
- Above a temperature of about 1 its sentences fall apart.

## Samples

Answers to fixed lists of questions, good and bad as they came. Temperature 0:

${manifest.samples.map(quoted).join('\n\n')}

Temperature 0.7:

${manifest.warmSamples.map(quoted).join('\n\n')}
`;
};
