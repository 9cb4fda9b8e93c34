import { type ImageModelCard } from '#engines/image-diffusion/model-card.js';

const percent = (share: number | undefined): string =>
  share === undefined ? '-' : `${(100 * share).toFixed(1)} %`;

const count = (value: number): string => value.toLocaleString('en');

const rowsOf = ({ recognised, attributes }: ImageModelCard): string =>
  Object.entries(attributes)
    .map(([name, values]) => {
      const shares = [recognised.drawn, recognised.shuffled, recognised.generator];
      const figures = shares.map((one) => percent(one[name])).join(' | ');
      return `| ${name} | ${values.join(', ')} | ${figures} |`;
    })
    .join('\n');

/** The card for people; the command that trains writes it. */
export const cardText = (card: ImageModelCard): string => `# ${card.name}

A diffusion model that draws **simple scenes**: one to four copies of one shape on a background,
in ${card.side} by ${card.side} pixels. It has seen nothing but drawings of a generator in this
repository, so it knows no photographs, no persons and no things of the world.
\`npm run models:train -- images\` makes it, and writes this card; its figures are those of
[card.json](card.json).

- **Network**: a U-Net of ${count(card.parameters)} parameters on patches of 2 by 2 pixels. Time and
  attributes scale and shift its channels, and are a layout of its inner plane. It predicts v;
  classifier-free guidance; DPM-Solver++(2M).
- **Weights**: \`model.safetensors\`, ${count(card.weightsBytes)} bytes in half precision, SHA-256
  \`${card.weightsSha256}\`.
- **Training**: seed ${card.seed}, ${count(card.steps)} steps of ${card.rows} pictures with PyTorch
  ${card.torch}, ${count(Math.round(card.trainingSeconds))} s on one shared CPU core. Loss
  ${card.trainingLoss.toFixed(4)}; on held-out combinations ${card.heldOutLoss.toFixed(4)}.
- **Licence**: Apache-2.0.

## Recognised, measured

A separate classifier (\`classifier.safetensors\`), trained on drawings of the generator, reads
${card.recognised.pictures} pictures of combinations of shape, colour and background that the
training never saw: ${card.recognised.steps} steps, guidance ${card.recognised.guidance}. *Shuffled*
are the same pictures beside the scenes of others, which is chance. *Generator* is what the
classifier reads in drawings, which bounds the other figures.

| attribute | values | drawn | shuffled | generator |
| --- | --- | --- | --- | --- |
${rowsOf(card)}
`;
