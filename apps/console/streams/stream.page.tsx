import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { routeOf } from '../shell/routes.js';
import { textIn, WriteForm } from '../shell/write-form.js';
import { type Frame } from './frames.js';
import { type OpenedStream, StreamSession } from './stream-session.js';

const SIZES = ['256x256', '512x512', '768x768'];
const PROMPT = 'a large red star on a white background';
const PROMPT_LENGTH_MAX = 4_000;

const drawOn = async (canvas: HTMLCanvasElement, { header, parts }: Frame): Promise<void> => {
  const bitmap = await createImageBitmap(new Blob([...parts], { type: 'image/png' }));
  if (canvas.width !== header.width) canvas.width = header.width;
  if (canvas.height !== header.height) canvas.height = header.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
};

const IDLE = { state: 'idle', frames: 0, steps: 0, connections: 0, notice: '' };

/** The fields of a session that is to be opened. */
const Order = () => (
  <>
    <label>
      Prompt
      <input name="prompt" defaultValue={PROMPT} required maxLength={PROMPT_LENGTH_MAX} />
    </label>
    <label>
      Size
      <select name="resolution" defaultValue="512x512">
        {SIZES.map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
    </label>
    <label>
      Frames a second
      <input name="fps" type="number" min="1" max="30" defaultValue="4" required />
    </label>
  </>
);

const orderOf = (
  form: FormData,
): Readonly<Record<'prompt' | 'resolution', string>> & { readonly target_fps: number } => ({
  prompt: textIn(form, 'prompt'),
  resolution: textIn(form, 'resolution'),
  target_fps: Number(textIn(form, 'fps')),
});

interface RunningProps {
  readonly change: (prompt: string) => void;
  readonly stop: () => void;
}

const Running = ({ change, stop }: RunningProps) => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      change(textIn(new FormData(event.currentTarget), 'next'));
    }}
  >
    <label>
      Another prompt
      <input name="next" required maxLength={PROMPT_LENGTH_MAX} />
    </label>
    <button type="submit">Change the prompt</button>
    <button type="button" id="stop" onClick={stop}>
      Stop
    </button>
  </form>
);

const Figures = ({ state, frames, steps, connections, notice }: typeof IDLE) => (
  <>
    <p>
      <output id="state">{state}</output>, frames: <output id="frames">{frames}</output>, steps of
      the last: <output id="steps">{steps}</output>, connections:{' '}
      <output id="connections">{connections}</output>
    </p>
    <p id="notice" role="alert">
      {notice}
    </p>
  </>
);

/** Opens a stream session and shows its frames. */
const StreamPage = () => {
  const shown = useSignal(IDLE);
  const isRunning = useSignal(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  const session = useRef<StreamSession | null>(null);
  const prompt = useRef(PROMPT);
  useEffect(() => () => session.current?.close(), []);

  const show = (change: Partial<typeof IDLE>): void => {
    shown.value = { ...shown.value, ...change };
  };
  const begin = (opened: OpenedStream): void => {
    shown.value = IDLE;
    isRunning.value = true;
    session.current = new StreamSession(opened, prompt.current, {
      onState: (state) => show({ state }),
      onConnected: () => show({ connections: shown.value.connections + 1 }),
      onNotice: (notice) => show({ notice }),
      onFrame: async (frame) => {
        if (canvas.current) await drawOn(canvas.current, frame);
        show({ frames: shown.value.frames + 1, steps: frame.header.steps });
      },
      onEnd: () => {
        isRunning.value = false;
      },
    });
    session.current.connect();
  };
  const bodyOf = (form: FormData): object => {
    const order = orderOf(form);
    prompt.current = order.prompt;
    return order;
  };
  const route = routeOf('/api/v1/stream/webrtc');
  return (
    <>
      <h1>Media stream</h1>
      <WriteForm label="Start" route={route} bodyOf={bodyOf} onDone={begin} keepsFields>
        <Order />
      </WriteForm>
      {isRunning.value && (
        <Running
          change={(prompt) => session.current?.change(prompt)}
          stop={() => session.current?.stop()}
        />
      )}
      <canvas ref={canvas} width="512" height="512" role="img" aria-label="The last frame" />
      <Figures {...shown.value} />
      <p class="quiet">
        The minutes that have begun and the frames that were drawn are charged when the session
        ends.
      </p>
    </>
  );
};

export default StreamPage;
