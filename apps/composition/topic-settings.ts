import { jobTopicSettings } from '#platform/jobs/job-topics.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { type TaskTopicSettings, taskTopicSettings } from '#platform/tasks/task-topics.js';

/** The broker settings of the topics of these areas and their engines; none for other topics. */
export const topicSettingsOf = (areas: readonly Area[]): ((topic: string) => TaskTopicSettings) => {
  const ofTasks = taskTopicSettings(areas.flatMap(({ engines }) => engines));
  const declared = new Map(
    areas.flatMap(({ topics }) => topics).map(({ topic, ...settings }) => [topic, settings]),
  );
  return (topic) => declared.get(topic) ?? { ...ofTasks(topic), ...jobTopicSettings(topic) };
};
