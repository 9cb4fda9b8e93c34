/**
 * Writes a shipped model with its layers in a coding, and prints each tensor's format and the
 * SHA-256 of the weights that it gives:
 *
 *   node dist/tools/oracles/quantized-file.main.js MODEL CODING FILE
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Coding } from '#engines/quantization/codings.js';
import { quantizedFile } from '#engines/quantization/file/quantized-file.js';
import { MeasuredModel } from '#engines/quantization/model/measured-model.js';

const [name = '', coding = '', file = ''] = process.argv.slice(2);
const folder = path.resolve('models');
const text = readFileSync(path.join(folder, 'corpora/quipu-held-out.txt'), 'utf8');
const model = await MeasuredModel.open(path.join(folder, `${name}.gguf`), text, 'multiply');
const coded = new Map(
  model.source.header.tensors.map(({ name: tensor, dimensions }) => {
    const isLinear = dimensions.length === 2 && tensor.startsWith('blk.');
    return [tensor, model.code(tensor, isLinear ? (coding as Coding) : 'F32')];
  }),
);
writeFileSync(file, Buffer.concat(quantizedFile(model.source, `${name} ${coding}`, coded)));
const described = [...coded].map(([tensor, { format, restored }]) => [
  tensor,
  [format, createHash('sha256').update(restored).digest('hex')],
]);
process.stdout.write(JSON.stringify(Object.fromEntries(described)));
