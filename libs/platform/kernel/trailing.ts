/** The text without the characters at its end that are `character`; each is read once. */
export const withoutTrailing = (text: string, character: string): string => {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
};
