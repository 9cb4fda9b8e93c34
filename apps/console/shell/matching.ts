/** The entries that have every word of a text in their names, in the order of the navigation. */
export const matching = <Named extends { readonly name: string }>(
  entries: readonly Named[],
  text: string,
): readonly Named[] => {
  const words = text.toLowerCase().split(/\s+/);
  return entries.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
};
