import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

/** So much of one call may wait for its socket, and one message more. */
export const UNWRITTEN_BYTES_MAX = 64 * 1_024;

/**
 * Takes a call's next message before the last one is written. `grpc-js` waits for the socket after
 * each message, which costs a turn of the event loop and a system call; messages taken early are
 * sent together.
 */
export const earlyWrites: ServerInterceptor = (_method, call) => new EarlyWritingCall(call);

class EarlyWritingCall extends ServerInterceptingCall {
  #unwritten = 0;
  #whenRoom: (() => void) | null = null;

  override sendMessage(message: Buffer, onTaken: () => void): void {
    this.#unwritten += message.length;
    super.sendMessage(message, () => this.#written(message.length));
    if (this.#unwritten < UNWRITTEN_BYTES_MAX) onTaken();
    else this.#whenRoom = onTaken;
  }

  #written(bytes: number): void {
    this.#unwritten -= bytes;
    if (this.#unwritten >= UNWRITTEN_BYTES_MAX) return;
    const onTaken = this.#whenRoom;
    this.#whenRoom = null;
    onTaken?.();
  }
}
