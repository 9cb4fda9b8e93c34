/** Tokens of one text. */
export const INPUT_TOKENS_MAX = 8_192;
/** UTF-16 units of one text: eight for each token. */
export const INPUT_UNITS_MAX = 8 * INPUT_TOKENS_MAX;
/** The time to count the tokens of a word grows with the square of its length. */
export const RUN_UNITS_MAX = 4_096;
