/** Links to other nodes are sockets of the process that leads the area. */
export { ConvergenceError } from '#engines/convergence/convergence.errors.js';
export {
  ContactScheduler,
  type Link,
  type Outbox,
  type Outgoing,
  type Window,
} from '#engines/convergence/contact-scheduler.js';
export { connectTcpcl, serveTcpcl, type TcpclServer } from '#engines/convergence/tcpcl.js';
export { type TlsIdentity } from '#engines/convergence/tcpcl.handshake.js';
export { REFUSE_REASONS } from '#engines/convergence/tcpcl.messages.js';
export { systemTimers, type Timers } from '#engines/convergence/timers.js';
