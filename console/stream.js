/** Starts a stream session, shows its frames, and connects again with the same token. */

const RECONNECT_MS = 500;
/** Frames whose parts have not all come. */
const OPEN_FRAMES_MAX = 8;

const byId = (id) => document.getElementById(id);
const show = (id, text) => {
  byId(id).textContent = String(text);
};

/** Parts of frames come in any order. */
class Frames {
  #open = new Map();
  #shown = 0;

  /** The header and the file of a frame that is complete and newer than the last; else null. */
  add(message) {
    const length = new DataView(message).getUint16(0);
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(message, 2, length)));
    const parts = this.#open.get(header.frame_id) ?? [];
    parts[header.part] = new Uint8Array(message, 2 + length);
    this.#open.set(header.frame_id, parts);
    for (const id of this.#open.keys()) {
      if (this.#open.size <= OPEN_FRAMES_MAX) break;
      this.#open.delete(id);
    }
    if (parts.filter(() => true).length < header.parts) return null;
    this.#open.delete(header.frame_id);
    if (header.frame_id <= this.#shown) return null;
    this.#shown = header.frame_id;
    return { header, file: new Blob(parts, { type: 'image/png' }) };
  }
}

class Session {
  #frames = new Frames();
  #count = 0;
  #connections = 0;
  #isEnded = false;
  #socket = null;
  #peer = null;
  #channel = null;

  constructor(opened, prompt) {
    this.opened = opened;
    this.prompt = prompt;
  }

  connect() {
    if (this.#isEnded) return;
    show('state', 'connecting');
    const socket = new WebSocket(this.opened.ws_signaling_url);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => void this.#hear(JSON.parse(data)));
    socket.addEventListener('close', () => this.#lose(socket));
  }

  change(prompt) {
    this.prompt = prompt;
    this.#tell({ type: 'prompt', prompt });
  }

  stop() {
    this.#tell({ type: 'bye' });
  }

  #tell(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  async #hear(message) {
    switch (message.type) {
      case 'ready':
        if (message.needs_prompt) this.change(this.prompt);
        await this.#offer();
        break;
      case 'answer':
        await this.#peer.setRemoteDescription({ type: 'answer', sdp: message.sdp });
        break;
      case 'peer_lost':
        await this.#offer();
        break;
      case 'notice':
        show('notice', `The account cannot pay for more: the session ends at ${message.ends_at}.`);
        break;
      case 'bye':
        this.#end(message.reason);
        break;
      case 'error':
        show('notice', message.message);
        break;
    }
  }

  async #offer() {
    this.#peer?.close();
    const peer = new RTCPeerConnection({ iceServers: this.opened.ice_servers });
    this.#peer = peer;
    const channel = peer.createDataChannel('frames', { ordered: false });
    this.#channel = channel;
    channel.binaryType = 'arraybuffer';
    channel.addEventListener('open', () => {
      this.#connections += 1;
      show('connections', this.#connections);
      show('state', 'open');
    });
    channel.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') void this.#hear(JSON.parse(data));
      else void this.#draw(data, channel);
    });
    peer.addEventListener('connectionstatechange', () => {
      if (peer === this.#peer && peer.connectionState === 'failed') void this.#offer();
    });
    await peer.setLocalDescription(await peer.createOffer());
    this.#tell({ type: 'offer', sdp: peer.localDescription.sdp });
  }

  async #draw(message, channel) {
    const frame = this.#frames.add(message);
    if (!frame) return;
    const { header, file } = frame;
    const bitmap = await createImageBitmap(file);
    const canvas = byId('frame');
    if (canvas.width !== header.width) canvas.width = header.width;
    if (canvas.height !== header.height) canvas.height = header.height;
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    bitmap.close();
    this.#count += 1;
    show('frames', this.#count);
    show('steps', header.steps);
    // The gateway measures the time from glass to glass by it.
    const { frame_id, stamp_ms } = header;
    if (channel.readyState === 'open') {
      channel.send(JSON.stringify({ type: 'echo', frame_id, stamp_ms }));
    }
  }

  #lose(socket) {
    if (socket !== this.#socket || this.#isEnded) return;
    show('state', 'lost');
    setTimeout(() => this.connect(), RECONNECT_MS);
  }

  #end(reason) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#peer?.close();
    this.#socket?.close();
    show('state', `ended (${reason})`);
    setRunning(false);
  }
}

let session = null;

const setRunning = (isRunning) => {
  byId('start').disabled = isRunning;
  byId('change').disabled = !isRunning;
  byId('stop').disabled = !isRunning;
};

const open = async () => {
  const [prompt, resolution, fps] = ['prompt', 'resolution', 'fps'].map((id) => byId(id).value);
  const response = await fetch('/api/v1/stream/webrtc', {
    method: 'POST',
    headers: { authorization: `Bearer ${byId('key').value}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt, resolution, target_fps: Number(fps) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  session = new Session(answer, prompt);
  session.connect();
};

byId('order').addEventListener('submit', (event) => {
  event.preventDefault();
  show('notice', '');
  setRunning(true);
  open().catch((error) => {
    show('notice', error.message);
    setRunning(false);
  });
});
byId('change').addEventListener('click', () => session?.change(byId('prompt').value));
byId('stop').addEventListener('click', () => session?.stop());
