/** The providers of `PlatformModule`; inject by token, so that an area names no adapter. */
export const EVENT_STORE = Symbol('EventStore');
export const READ_STORE = Symbol('ReadStore');
/** The chain of the log (`LogChain`), or null where none is kept. */
export const LOG_CHAIN = Symbol('LogChain');
export const BUS = Symbol('Bus');
export const CLOCK = Symbol('Clock');
export const CODEC = Symbol('EventCodec');
export const SNAPSHOTS = Symbol('Snapshots');
/** The number of events at a place of the log (`LogPlaces`). */
export const LOG_PLACES = Symbol('LogPlaces');
export const PROJECTIONS = Symbol('Projections');
export const LOGGER = Symbol('Logger');
