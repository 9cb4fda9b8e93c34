/** Neighbouring layers of a model, both ends included, as one stage holds them. */
export interface LayerRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Divides the layers into contiguous ranges of nearly equal length, the longer ones first. A model
 * with fewer layers than stages gets a stage for each layer.
 */
export const divideLayers = (layers: number, stages: number): readonly LayerRange[] => {
  const count = Math.max(1, Math.min(layers, stages));
  const short = Math.floor(layers / count);
  const longer = layers % count;
  let next = 0;
  return Array.from({ length: count }, (_, stage) => {
    const first = next;
    next += short + (stage < longer ? 1 : 0);
    return { first, last: next - 1 };
  });
};
