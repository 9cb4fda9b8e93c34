/** The WebRTC peers, which run on a thread that loads with the first of them. */
export { PeerError } from '#engines/webrtc/peer.errors.js';
export { type PeerMessage } from '#engines/webrtc/peer.protocol.js';
export { PeerThread } from '#engines/webrtc/peer-thread.js';
export { StunResponder } from '#engines/webrtc/stun-responder.js';
