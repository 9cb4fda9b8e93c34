import { PortBlockReserved } from '#events/rentals/rental.events.js';
import { type Projection } from '#platform/kernel/projection.js';

export interface RentalOfNumber {
  readonly rentalId: string;
  readonly accountId: string;
}

export const rentalNumberKey = (number: number): string => String(number);

/** Which rental has a number? */
export const rentalNumbers: Projection<PortBlockReserved, RentalOfNumber> = {
  name: 'rental-numbers',
  version: 1,
  on: { PortBlockReserved },
  keys: ({ data }) => [rentalNumberKey(data.number)],
  initial: () => ({ rentalId: '', accountId: '' }),
  project: ({ data: { rentalId, accountId } }) => ({ rentalId, accountId }),
};
