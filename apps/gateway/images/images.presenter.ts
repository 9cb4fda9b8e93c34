import { type ImagesAnswer } from '#areas/images/create-images.handler.js';
import { type ImageResultDto } from './images.dto.js';

/** @param urlOf of a stored picture */
export const presentImages = (
  { model, asked, side, steps, images }: ImagesAnswer,
  nowMs: number,
  urlOf: (id: string) => string,
): ImageResultDto => {
  const { width, height } = asked.size;
  const size = `${width}x${height}`;
  const isResampled = side !== null && (width !== side || height !== side);
  return {
    created: Math.floor(nowMs / 1_000),
    data: images.map(({ stored, revisedPrompt, seed }) => ({
      ...('id' in stored
        ? { url: urlOf(stored.id) }
        : { b64_json: stored.file.toString('base64') }),
      revised_prompt: revisedPrompt,
      seed,
    })),
    model,
    engine: images[0]?.engine ?? '',
    size,
    steps,
    resampling: isResampled ? { from: `${side}x${side}`, to: size, method: 'bicubic' } : null,
  };
};
