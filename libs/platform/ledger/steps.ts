/** The step, and every step above it, the nearest first; the whole work is above all. */
export const upwards = (step: string | undefined): readonly (string | undefined)[] => {
  if (step === undefined) return WHOLE_WORK;
  const names = step.split('/');
  return [...names.map((_, index) => names.slice(0, names.length - index).join('/')), undefined];
};

const WHOLE_WORK = [undefined];

/** Units and lines of work that is a step of other work: its own steps are below that step. */
export const underStep = <Of extends { readonly step?: string }>(
  step: string,
  all: readonly Of[],
): readonly (Of & { readonly step: string })[] =>
  all.map((one) => ({ ...one, step: one.step === undefined ? step : `${step}/${one.step}` }));
