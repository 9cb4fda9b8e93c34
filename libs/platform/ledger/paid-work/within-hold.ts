import { type ChargedLine, type Excess, type PriceLine } from '#events/hold.vocabulary.js';

/** Each line up to what is held for its step and meter, and the units above it. */
export const withinHold = (
  used: readonly ChargedLine[],
  held: readonly PriceLine[],
): { readonly charged: readonly ChargedLine[]; readonly excess: Excess[] } => {
  const excess: Excess[] = [];
  const charged = used.map((line) => {
    const { step, meter, quantity: units } = line;
    const bound = held.find((one) => one.step === step && one.meter === meter);
    const quantity = Math.min(units, bound?.quantity ?? 0);
    if (units > quantity) {
      excess.push({ ...(step !== undefined && { step }), meter, quantity: units - quantity });
    }
    return quantity === units ? line : { ...line, quantity };
  });
  return { charged, excess };
};
