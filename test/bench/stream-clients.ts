/**
 * Entry point of a process with the clients of stream sessions, so that their CPU time does not
 * count for the server. It makes an offer for each order, and says at the end what has arrived.
 */
import { type RTCPeerConnection } from 'werift';
import { offerOf, offeringClient } from './stream-client.js';

export type ClientOrder =
  | { readonly kind: 'offer'; readonly peer: string }
  | { readonly kind: 'answer'; readonly peer: string; readonly sdp: string }
  | { readonly kind: 'count' };

export type ClientReply = { readonly sdp: string } | { readonly received: number };

const clients = new Map<string, RTCPeerConnection>();
let received = 0;

const obey = async (order: ClientOrder): Promise<ClientReply | null> => {
  switch (order.kind) {
    case 'offer': {
      const client = await offeringClient(() => (received += 1));
      clients.set(order.peer, client);
      return { sdp: offerOf(client) };
    }
    case 'answer':
      await clients.get(order.peer)?.setRemoteDescription({ type: 'answer', sdp: order.sdp });
      return null;
    case 'count':
      return { received };
  }
};

process.on('message', (order: ClientOrder) => {
  void obey(order).then((reply) => reply && process.send?.(reply));
});
process.on('disconnect', () => process.exit());
