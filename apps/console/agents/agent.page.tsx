import { Answered, usePageRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, instant } from '../shell/figures.js';
import { OfNow } from '../shell/list.js';
import { type PageProps } from '../shell/page.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';

type FoundSession = AnswerOf<'/api/v1/agents/sessions/{id}'>;
type AgentStep = FoundSession['steps'][number];

const factsOf = (session: FoundSession): readonly Fact[] => [
  ['Goal', session.goal ?? '–'],
  ['Status', [session.status, session.stop_reason].filter((one) => one !== null).join(': ')],
  ['Model', session.planner_model],
  ['Tokens', `${count(session.tokens_consumed)} of ${count(session.max_token_budget)}`],
  ['Tools', session.tools_executed.join(', ') || '–'],
  ['Created, UTC', instant(session.created_at)],
  ['Ended, UTC', orDash(session.ended_at, instant)],
];

const Step = (step: AgentStep) => (
  <details>
    <summary>
      Step {step.step}: {step.action} {step.tool} {step.outcome},{' '}
      {count(step.prompt_tokens + step.completion_tokens)} tokens
    </summary>
    <pre tabIndex={0}>
      {JSON.stringify({ plan: step.plan, observation: step.observation }, null, 2)}
    </pre>
  </details>
);

const AgentPage = ({ parameters }: PageProps) => {
  const id = parameters['id'] ?? '';
  const state = usePageRead(() => routeOf('/api/v1/agents/sessions/{id}', { id }));
  return (
    <>
      <h1>
        Session <code>{parameters['id']}</code>
      </h1>
      <OfNow />
      <Answered state={state}>
        {(session) => (
          <>
            <Facts facts={factsOf(session)} />
            <h2>Answer</h2>
            <p>{session.final_output ?? 'There is no answer yet.'}</p>
            <h2>Steps</h2>
            {session.steps.length === 0 && <p>No step is done yet.</p>}
            {session.steps.map((step) => (
              <Step key={step.step} {...step} />
            ))}
          </>
        )}
      </Answered>
    </>
  );
};

export default AgentPage;
