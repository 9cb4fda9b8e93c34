/** The fields of a session of an agent that the pages show. */
export interface AgentSession {
  readonly session_id: string;
  readonly goal: string | null;
  readonly status: string;
  readonly stop_reason: string | null;
  readonly planner_model: string;
  readonly max_steps: number;
  readonly max_token_budget: number;
  readonly total_steps: number;
  readonly tools_executed: readonly string[];
  readonly final_output: string | null;
  readonly tokens_consumed: number;
  readonly created_at: string;
  readonly ended_at: string | null;
}
