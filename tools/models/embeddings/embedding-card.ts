import {
  type LexicalModelCard,
  type RetrievalScore,
  type TaskReport,
} from '#engines/embeddings/lexical/lexical-card.js';

const figures = ({ recallAt1, mrr, ndcgAt10 }: RetrievalScore): string =>
  [recallAt1, mrr, ndcgAt10].map((figure) => figure.toFixed(3)).join(' / ');

const rowsOf = ({ retrieval, dimensions }: LexicalModelCard): string => {
  const row = (name: string, of: (task: LexicalModelCard['retrieval'][number]) => RetrievalScore) =>
    `| ${[name, ...retrieval.map((task) => figures(of(task)))].join(' | ')} |`;
  const prefixes = Object.keys(retrieval[0]?.prefixes ?? {});
  const rows = [
    row(`this model, ${dimensions} dimensions`, ({ model }) => model),
    ...prefixes.map((prefix) =>
      row(`its first ${prefix}`, ({ prefixes: by, model }) => by[prefix] ?? model),
    ),
    row('before rounding to 8 bits', ({ beforeRounding }) => beforeRounding),
    row('TF-IDF of the same features', ({ tfIdf }) => tfIdf),
    row(`scikit-learn, TruncatedSVD to ${dimensions}`, ({ svd }) => svd),
  ];
  const head = `| recall@1 / MRR / nDCG@10 | ${retrieval.map(({ name }) => name).join(' | ')} |`;
  return [head, `| --- |${' --- |'.repeat(retrieval.length)}`, ...rows].join('\n');
};

const count = (value: number): string => value.toLocaleString('en');

const taskLine = ({ name, description, queries, documents }: TaskReport): string =>
  `- **${name}**: ${queries} queries, ${documents} documents: ${description}.`;

/** The card for people; the command that trains writes it. */
export const cardText = (card: LexicalModelCard): string => `# ${card.name}

A **lexical** embedding model: it knows words and pieces of words, and which of them its training
texts used for the same thing. It has read no language beyond them, so it does not understand a text
as a language model does. \`npm run models:train -- embeddings\` makes it from nothing but this
repository, and writes this card; its figures are those of [card.json](card.json).

- **Features**: words and character n-grams of 3 to 6 inside each word (NFKC, lower case), hashed
  into ${count(card.buckets)} buckets, with sub-linear term frequency and inverse document
  frequency.
- **Matrix**: ${count(card.buckets)} by ${count(card.dimensions)}. The first ${card.rank} columns
  are dense and trained; the others are sparse signs that follow from the bucket, scaled by a trained
  weight. Vectors have length 1.
- **Tokens** are counted, and token arrays read, by \`${card.tokenizer}\`; at most
  ${count(card.tokensMax)} in a text.
- **Weights**: \`model.safetensors\`, ${count(card.weightsBytes)} bytes, SHA-256
  \`${card.weightsSha256}\`.
- **Training**: seed ${card.seed}, ${card.steps} steps of ${card.pairsPerStep} paraphrase pairs,
  InfoNCE on the whole vector and on prefixes, ${card.trainingSeconds} s on one shared CPU core.
- **Licence**: Apache-2.0.

## Retrieval, measured

Each query has one right document. The texts are generated, as those of the training are, so the
figures say how well the model does what it was trained for, and nothing about English at large.

${card.retrieval.map(taskLine).join('\n')}

${rowsOf(card)}

## Limits

- A word that the training never had with its synonyms is found by its letters only: see
  \`unseen-words\`.
- Order and negation do not count: "the dog bites the man" has the vector of "the man bites the
  dog".
- A text without a letter or digit has no features; it is refused.
- Scripts without spaces between words are read as long words, by their first 64 characters.
`;
