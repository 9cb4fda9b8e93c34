import { RTCPeerConnection } from 'werift';

/** The client of a stream session, with its offer made. */
export const offeringClient = async (onMessage: () => void): Promise<RTCPeerConnection> => {
  const client = new RTCPeerConnection({ iceServers: [], iceUseIpv6: false });
  const channel = client.createDataChannel('frames', { ordered: false });
  channel.onMessage.subscribe(onMessage);
  await client.setLocalDescription(await client.createOffer());
  return client;
};

export const offerOf = ({ localDescription }: RTCPeerConnection): string =>
  localDescription?.sdp ?? '';
