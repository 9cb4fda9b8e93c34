import { type VisionCard } from '#engines/vision/vision-card.js';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const count = (value: number): string => value.toLocaleString('en');

const rowsOf = (shares: Readonly<Record<string, number>>): string =>
  Object.entries(shares)
    .map(([name, share]) => `| ${name} | ${percent(share)} |`)
    .join('\n');

/** The card for people; the command that trains writes it. */
export const cardText = (card: VisionCard): string => `# ${card.name}

A detector of **drawn shapes**: ${card.shapes.join(', ')};
in ${card.colours.length} colours. It has seen nothing but drawings of a generator in this
repository, so it knows no photographs, no persons and no things of the world.
\`npm run models:train -- vision\` makes it, and writes this card; its figures are those of
[card.json](card.json).

${networkText(card)}
- **Licence**: Apache-2.0.

## Objects, measured

${objectsText(card)}

| shape | AP50 |
| --- | --- |
${rowsOf(card.heldOut.ap50OfShape)}

## Anomalies, measured

${anomaliesText(card)}

| anomaly | reported |
| --- | --- |
${rowsOf(card.anomaly.found)}
`;

const networkText = (card: VisionCard): string => {
  const { side } = card;
  const parameters = count(card.parameters);
  const seconds = count(Math.round(card.trainingSeconds));
  const loss = card.trainingLoss.toFixed(3);
  return `- **Network**: residual, on ${side} by ${side} pixels in patches of 4 by 4,
  with a heat map of centres, a score of each colour, and boxes; ${parameters} parameters
  with the components of the anomaly.
- **Weights**: \`model.safetensors\`, ${count(card.weightsBytes)} bytes in half precision, SHA-256
  \`${card.weightsSha256}\`.
- **Training**: seed ${card.seed}, ${count(card.steps)} steps of ${card.rows} frames with PyTorch
  ${card.torch}, ${seconds} s on a busy CPU. Loss ${loss}.`;
};

const objectsText = ({ heldOut }: VisionCard): string =>
  `On ${count(heldOut.frames)} frames with ${count(heldOut.objects)} objects, whose combinations
of shape, colour and background the training never saw. The average precision (AP) counts a box that
shares at least half with the drawn one (IoU 0.5).

- AP50, mean over the shapes: **${percent(heldOut.ap50)}**
- mAP, mean over IoUs from 0.5 to 0.95: **${percent(heldOut.map)}**
- colour of the objects found: ${percent(heldOut.colour)} right`;

const anomaliesText = ({ anomaly }: VisionCard): string =>
  `A patch of ${anomaly.patch} by ${anomaly.patch} pixels is made of ${anomaly.components}
principal components. A frame is reported when the mean squared error of its worst patch is above
${anomaly.threshold.toPrecision(3)}, the ${percent(anomaly.quantile)} quantile of
${count(anomaly.calibrationFrames)} usual frames. Of other usual frames,
${percent(anomaly.falseAlarms)} were reported.`;
