import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { openInference, usage } from '#areas/inference/inference-world.fixture.js';
import { question } from '#platform/chats/chat-order.fixture.js';
import { ChatMetrics } from './chat.metrics.js';

const { model } = question;

describe('metrics of chat', () => {
  let metrics: ChatMetrics;
  let registry: Registry;

  beforeEach(() => {
    registry = new Registry();
    metrics = new ChatMetrics(openInference().catalog, registry);
  });

  const text = async (): Promise<string> => registry.metrics();

  it('count charged tokens and money', async () => {
    const charge = { model, rig: 'local-vllm', usage: usage(20, 30), chargedMicroUsd: 42n };
    metrics.chatCharged(charge);
    metrics.chatCharged(charge);
    const labels = `gen_ai_operation_name="chat",gen_ai_request_model="${model}"`;
    expect(await text()).toContain(
      `quipu_charged_micro_usd_total{gen_ai_request_model="${model}",rig="local-vllm"} 84`,
    );
    expect(await text()).toContain(
      `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input"} 40`,
    );
    expect(await text()).toContain(
      `gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="output"} 60`,
    );
  });

  it('time requests by outcome', async () => {
    metrics.chatEnded(model, 0.5, '');
    metrics.chatEnded(model, 1.5, 'rigs_down');
    metrics.firstPage(model, 0.25);
    const labels = `gen_ai_operation_name="chat",gen_ai_request_model="${model}"`;
    const duration = 'gen_ai_server_request_duration_seconds_sum';
    expect(await text()).toContain(`${duration}{${labels},error_type=""} 0.5`);
    expect(await text()).toContain(`${duration}{${labels},error_type="rigs_down"} 1.5`);
    expect(await text()).toContain(`gen_ai_server_time_to_first_token_seconds_sum{${labels}} 0.25`);
  });

  it('have one label for all names outside the catalog', async () => {
    for (const name of ['one', 'two', 'three']) metrics.chatEnded(name, 1, 'model_not_found');
    expect(await text()).toContain(
      'gen_ai_server_request_duration_seconds_count{gen_ai_operation_name="chat",' +
        'gen_ai_request_model="unknown",error_type="model_not_found"} 3',
    );
    expect(await text()).not.toContain('"two"');
  });

  it('of two gateways in one process are separate', async () => {
    const other = new Registry();
    new ChatMetrics(openInference().catalog, other);
    metrics.chatEnded(model, 1, '');
    expect(await other.metrics()).not.toContain(model);
  });
});
