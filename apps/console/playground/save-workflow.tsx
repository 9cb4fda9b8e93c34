import { addressOf } from '../shell/location.js';
import { routeOf } from '../shell/routes.js';
import { textIn, WriteDialog } from '../shell/write-form.js';
import { type ChatBody } from './streamed-chat.js';

/** A workflow of one chat, whose prompt is its input. */
const definitionOf = ({ model, routing_mode, max_tokens, messages }: ChatBody): object => ({
  inputs: { prompt: { default: messages.map(({ content }) => content).join('\n') } },
  nodes: [
    {
      name: 'chat',
      kind: 'chat',
      parameters: {
        model,
        routing_mode,
        prompt: '{{ inputs.prompt }}',
        ...(max_tokens !== undefined && { max_tokens }),
      },
    },
  ],
});

export interface SaveAsWorkflowProps {
  /** The chat of the fields. */
  readonly chat: () => ChatBody;
}

/** Stores the chat of the playground as a workflow. */
export const SaveAsWorkflow = ({ chat }: SaveAsWorkflowProps) => (
  <WriteDialog
    opens="Save as workflow"
    explains="One node asks the same. The input is the prompt, which a run may replace."
    label="Save"
    route={routeOf('/api/v1/workflows')}
    bodyOf={(form) => ({ name: textIn(form, 'name'), definition: definitionOf(chat()) })}
    done={({ workflow_id: id, name }) => (
      <p>
        <a data-page href={addressOf(`/workflows/${id}`)}>
          {name}
        </a>
      </p>
    )}
  >
    <label>
      Name, in lower case
      <input name="name" required maxLength={64} pattern="[a-z0-9][a-z0-9_\-]*" />
    </label>
  </WriteDialog>
);
